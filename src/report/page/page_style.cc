#include "vyre/report/page/page_assets.h"

namespace vyre {

// In both schemes texts have a contrast of at least 4.5:1 and marks of 3:1. Colours differ in
// lightness as well as in hue, and shapes repeat the information of colours.
std::string_view page_style() {
  return R"css(
:root{color-scheme:light dark;
--page:#f6f7f9;--card:#fff;--ink:#16191f;--soft:#4c5463;--line:#dfe3e9;--grid:#e7eaef;
--accent:#0067a5;--tint:#e4f1fa;--good:#00694e;
--chosen:#0067a5;--start:#b45309;--declared:#9d2f78;--a:#00795c;--b:#4a45b8;--c:#6b6400;--d:#a03a2c;
--rest:#767e8c;--call:#8a93a3;--incumbent:#16191f;--promotion:#4c5463;--hatch:#eef0f4;
--h0:#00497a;--h1:#0067a5;--h2:#2f78ae;--h3:#7cb0d5;--h4:#acd0e8;--h5:#d0e5f3;--h6:#e8f2f9;
--t0:#fff;--t1:#fff;--t2:#fff;--t3:#0c1a26;--t4:#0c1a26;--t5:#0c1a26;--t6:#0c1a26}
@media screen and (prefers-color-scheme:dark){:root{
--page:#0f1217;--card:#181c23;--ink:#e9ecf1;--soft:#aab2c0;--line:#2c323d;--grid:#262c36;
--accent:#6cbcf0;--tint:#132c40;--good:#4cd3a5;
--chosen:#5bb8f5;--start:#f0a43c;--declared:#ea8fcb;--a:#3ecf9f;--b:#a9a5ff;--c:#e0d54a;--d:#f08a78;
--rest:#8d96a6;--call:#6f7888;--incumbent:#f4f6fa;--promotion:#aab2c0;--hatch:#1f242d;
--h0:#8fd0fb;--h1:#5bb0ea;--h2:#3a8fca;--h3:#2a6fa3;--h4:#22557c;--h5:#1d4058;--h6:#1b2f3f;
--t0:#06121c;--t1:#06121c;--t2:#06121c;--t3:#fff;--t4:#fff;--t5:#e9ecf1;--t6:#e9ecf1}}
*{box-sizing:border-box}
html{font-size:clamp(15px,.42vw + 10.4px,24px);-webkit-text-size-adjust:100%;scroll-behavior:smooth}
@media (prefers-reduced-motion:reduce){html{scroll-behavior:auto}}
body{margin:0;background:var(--page);color:var(--ink);
font:1rem/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans","DejaVu Sans",sans-serif;
font-variant-numeric:tabular-nums}
main,header,footer{max-width:78rem;margin:0 auto;padding:0 clamp(.8rem,3vw,2rem)}
header{padding-top:clamp(1rem,3vw,2.4rem)}
h1,h2,h3,h4,p,ul,ol,dl,figure{margin:0}
h1{font-size:clamp(1.5rem,1.1rem + 2vw,2.3rem);line-height:1.2;letter-spacing:-.015em;overflow-wrap:anywhere}
h2{font-size:1.45rem;line-height:1.25;letter-spacing:-.01em;overflow-wrap:anywhere}
h3{font-size:1.08rem;line-height:1.3}
h4{font-size:.88rem;font-weight:600}
code,pre{font-family:ui-monospace,"SF Mono",Menlo,Consolas,"DejaVu Sans Mono",monospace;font-size:.9em;overflow-wrap:anywhere}
a{color:var(--accent)}
:focus-visible{outline:2px solid var(--accent);outline-offset:2px}
.meta{color:var(--soft);margin-top:.4rem;overflow-wrap:anywhere}
.warning{margin-top:.8rem;padding:.6rem .9rem;border-left:.25rem solid var(--start);background:var(--card);overflow-wrap:anywhere}
section.kernel{margin-top:2.6rem}header+main>section.kernel:first-child{margin-top:.6rem}
.size{color:var(--soft);font-weight:400}
.headline{font-size:1.2rem;line-height:1.4;margin-top:.35rem;max-width:72rem;overflow-wrap:anywhere}
.headline strong{color:var(--good)}
.cards{display:flex;flex-wrap:wrap;gap:.9rem;margin-top:1.1rem}
.card,figure,.box{background:var(--card);border:1px solid var(--line);border-radius:.7rem}
.card{padding:.85rem 1rem;min-width:0;flex:1 1 13.5rem;max-width:26rem}
.card.first{border-color:var(--accent);background:var(--tint)}
.card h3{font-size:.85rem;font-weight:600;color:var(--soft);display:flex;align-items:center;gap:.4rem}
.card .big{font-size:1.75rem;line-height:1.25;font-weight:650;letter-spacing:-.02em}
.card p{font-size:.88rem;color:var(--soft);overflow-wrap:anywhere}
.card p.ink{color:var(--ink)}
.beside{display:grid;gap:1.1rem;min-width:0}
.figures{display:grid;grid-template-columns:minmax(0,1fr);gap:1.1rem;margin-top:1.2rem}
@media (min-width:70rem){.figures.two{grid-template-columns:minmax(0,1.22fr) minmax(0,1fr);align-items:start}.beside{order:2}}
figure{padding:1rem 1.1rem;min-width:0;break-inside:avoid}
figcaption p{color:var(--soft);font-size:.9rem;max-width:60rem;overflow-wrap:anywhere}
.legend{list-style:none;padding:0;display:flex;flex-wrap:wrap;gap:.15rem 1.1rem;margin-top:.6rem;font-size:.84rem;color:var(--soft)}
.legend li{display:flex;align-items:center;gap:.4rem;min-width:0;overflow-wrap:anywhere}
.key{flex:none}
.quartile-key{width:1.2rem;height:.55rem;border-radius:.15rem;background:var(--rest);opacity:.4}
.expected-key{width:0;height:.9rem;border-left:2px solid var(--soft);opacity:.65}
.definitions{position:absolute}
svg.chart{display:block;width:100%;overflow:visible;font-size:.8rem;
height:calc(var(--height) + 1.2rem + 3.2em);padding:1.2rem .9rem 3.2em var(--gutter)}
svg.rows{height:calc(var(--height) + 2.4rem);padding:2rem 8.6em .4rem var(--gutter)}
svg.overview{padding-right:5.4em}
svg.heat{height:calc(var(--height) + 3rem);padding:2.8rem .2rem .2rem var(--gutter)}
svg.plane{overflow:visible}
.chart text{fill:var(--ink)}
.chart .tick,.chart .axis-name{fill:var(--soft)}
.chart .value{fill:var(--soft)}
.end{text-anchor:end}.middle{text-anchor:middle}
.chart .strong{font-weight:650}
.chart .role{font-weight:600;fill:var(--ink);paint-order:stroke;stroke:var(--tint);stroke-width:4px;stroke-linejoin:round}
.grid{stroke:var(--grid);stroke-width:1;shape-rendering:crispEdges}
.one{stroke:var(--soft);stroke-width:1}
.stem{stroke:var(--rest);stroke-width:2}
.highlight{fill:var(--tint)}
.band{fill:var(--chosen);opacity:.13}
.whisker{stroke:currentColor;stroke-width:1.5}
.quartiles{fill:currentColor;opacity:.38;rx:2px}
.expected{stroke:var(--soft);stroke-width:2;opacity:.65}
.hit{fill:transparent}
.scripted .hit:hover{fill:var(--ink);fill-opacity:.06}
.cell{stroke:var(--card);stroke-width:2}
.cell.none{fill:var(--hatch)}
.cell.outline{fill:none;stroke:var(--ink);stroke-width:3;pointer-events:none}
.chart .cell-text{font-size:.95em}.chart .cell-text.none{fill:var(--soft)}
.h0{fill:var(--h0)}.h1{fill:var(--h1)}.h2{fill:var(--h2)}.h3{fill:var(--h3)}.h4{fill:var(--h4)}.h5{fill:var(--h5)}.h6{fill:var(--h6)}
.chart .t0{fill:var(--t0)}.chart .t1{fill:var(--t1)}.chart .t2{fill:var(--t2)}.chart .t3{fill:var(--t3)}.chart .t4{fill:var(--t4)}.chart .t5{fill:var(--t5)}.chart .t6{fill:var(--t6)}
.c-chosen{fill:var(--chosen);color:var(--chosen)}.c-start{fill:var(--start);color:var(--start)}
.c-declared{fill:var(--declared);color:var(--declared)}.c-a{fill:var(--a);color:var(--a)}
.c-b{fill:var(--b);color:var(--b)}.c-c{fill:var(--c);color:var(--c)}.c-d{fill:var(--d);color:var(--d)}
.c-rest{fill:var(--rest);color:var(--rest)}.c-call{fill:var(--call);color:var(--call)}
.plane path{fill:none;vector-effect:non-scaling-stroke}
.incumbent{stroke:var(--incumbent);stroke-width:2}
.plane .incumbent-halo{stroke:var(--card);stroke-width:5;opacity:.8}
.promotion{stroke:var(--promotion);stroke-width:1;stroke-dasharray:3 3}
.promotion-number{font-weight:650}
.bound{stroke:var(--soft);stroke-width:2;stroke-dasharray:7 4}
.probes .c-rest{opacity:.5}
.chart .end-label{font-weight:600;paint-order:stroke;stroke:var(--card);stroke-width:4px;stroke-linejoin:round}
.lost{stroke:var(--start);stroke-width:2.5}
.plane .lost-area{fill:var(--start);opacity:.18}
.facets{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,13rem),1fr));gap:.4rem 1.4rem;margin-top:.6rem}
.facet h4{margin-top:.3rem;overflow-wrap:anywhere}
.promotions,.box.dropped ul{font-size:.88rem;padding-left:1.6rem;margin-top:.5rem}
.promotions .key{margin:0 .3rem -.15rem 0}
.promotions li,.box.dropped li{overflow-wrap:anywhere}
.note,.nothing{color:var(--soft);font-size:.9rem;margin-top:.6rem}
details{margin-top:.8rem}.data{padding:.6rem 1.1rem}.data details{margin:0}
summary{cursor:pointer;font-size:.88rem;color:var(--accent);width:fit-content}
.scroll{overflow-x:auto;margin-top:.5rem;max-height:36rem;overflow-y:auto}
table{border-collapse:collapse;font-size:.85rem}
caption{text-align:left;color:var(--soft);padding-bottom:.4rem}
th,td{padding:.3rem 1.3rem .3rem 0;text-align:left;vertical-align:top;border-bottom:1px solid var(--line);white-space:nowrap}
th{font-weight:600;color:var(--soft);position:sticky;top:0;background:var(--card)}
.right{text-align:right}
td.wrap{white-space:normal;min-width:11rem;overflow-wrap:anywhere}
th button{all:unset;cursor:pointer}
th button:focus-visible{outline:2px solid var(--accent)}
th[aria-sort=ascending] button::after{content:" \2191"}th[aria-sort=descending] button::after{content:" \2193"}
.boxes{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,20rem),1fr));gap:1.1rem;margin-top:2rem}
.box{padding:1rem 1.1rem;min-width:0;break-inside:avoid}
.box h2{font-size:1.08rem}
dl{display:grid;grid-template-columns:fit-content(9rem) minmax(0,1fr);gap:.2rem 1rem;margin-top:.6rem;font-size:.92rem}
dt{color:var(--soft)}dd{margin:0}dt,dd{overflow-wrap:anywhere}
.box ul{padding-left:1.1rem;margin-top:.6rem;font-size:.92rem}
.box li+li{margin-top:.3rem}
pre{white-space:pre-wrap;background:var(--page);border:1px solid var(--line);border-radius:.4rem;padding:.7rem .8rem;margin:.6rem 0 0;user-select:all}
footer{color:var(--soft);font-size:.88rem;padding-top:1.6rem;padding-bottom:2.4rem;overflow-wrap:anywhere}
#hint{position:fixed;left:0;top:0;pointer-events:none;background:var(--ink);color:var(--card);padding:.35rem .6rem;border-radius:.35rem;font-size:.82rem;line-height:1.35;white-space:pre-line;max-width:min(24rem,90vw);z-index:9;overflow-wrap:anywhere}
#hint[hidden]{display:none}
.cursor{fill:none;stroke:var(--ink);stroke-width:2}
@media (min-width:2200px){defs>*{transform:scale(1.4)}}
@media (max-width:40rem){.card{max-width:none}svg.rows{padding-right:.8rem}svg.rows .value,svg.rows .role,.tick.second{display:none}svg.overview{padding-right:.8rem}
figure,.box{padding:.8rem .75rem}.headline{font-size:1.08rem}.c-call{opacity:.7}}
@media print{html{font-size:10pt}body,.card,.card.first,figure,.box{background:#fff}main,header,footer{max-width:none;padding-left:0;padding-right:0}
section.kernel+section.kernel{break-before:page}figure,.card,.box{break-inside:avoid}summary{display:none}.data:not(:has(details[open])){display:none}
*{-webkit-print-color-adjust:exact;print-color-adjust:exact}}
)css";
}

}  // namespace vyre
