#include "vyre/report/page/page_assets.h"

namespace vyre {

std::string_view page_script() {
  return R"js(
(function () {
  "use strict";
  const hint = document.createElement("div");
  hint.id = "hint";
  hint.hidden = true;
  document.body.appendChild(hint);

  function show(text, x, y) {
    hint.textContent = text;
    hint.hidden = false;
    let left = x + 14, top = y + 16;
    if (left + hint.offsetWidth > innerWidth - 4) left = Math.max(4, x - hint.offsetWidth - 14);
    if (top + hint.offsetHeight > innerHeight - 4) top = Math.max(4, y - hint.offsetHeight - 12);
    hint.style.transform = `translate(${left}px,${top}px)`;
  }
  function hide() { hint.hidden = true; }

  function time(ns) {
    const units = [["ns", 1], ["\u00b5s", 1e3], ["ms", 1e6], ["s", 1e9]];
    let i = 0;
    while (i < 3 && ns >= 0.9995 * units[i + 1][1]) i++;
    const value = ns / units[i][1];
    return value.toFixed(value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2) + "\u00a0" + units[i][0];
  }

  // Hints that the browser would show late and small.
  for (const box of document.querySelectorAll("svg.chart .hit")) {
    const title = box.querySelector("title");
    const text = title.textContent;
    title.remove();
    box.addEventListener("pointermove", (event) => show(text, event.clientX, event.clientY));
    box.addEventListener("pointerleave", hide);
  }

  // The nearest point of a chart of calls.
  function follow(chart, points, by_column, describe) {
    const ring = document.createElementNS("http://www.w3.org/2000/svg", "circle");
    ring.setAttribute("class", "cursor");
    ring.setAttribute("r", "7");
    ring.style.display = "none";
    chart.appendChild(ring);
    function leave() { ring.style.display = "none"; hide(); }
    chart.addEventListener("pointerleave", leave);
    chart.addEventListener("pointermove", (event) => {
      const box = chart.getBoundingClientRect(), style = getComputedStyle(chart);
      const left = parseFloat(style.paddingLeft), top = parseFloat(style.paddingTop);
      const width = box.width - left - parseFloat(style.paddingRight);
      const height = box.height - top - parseFloat(style.paddingBottom);
      const x = event.clientX - box.left - left, y = event.clientY - box.top - top;
      let best = null, least = by_column ? Infinity : 900;
      for (const point of points) {
        const dx = point[0] / 1000 * width - x;
        const dy = by_column ? 0 : point[1] / 1000 * height - y;
        if (dx * dx + dy * dy < least) { least = dx * dx + dy * dy; best = point; }
      }
      if (!best || x < -20 || x > width + 20) return leave();
      ring.setAttribute("cx", best[0] / 10 + "%");
      ring.setAttribute("cy", best[1] / 10 + "%");
      ring.style.display = "";
      show("call " + best[2].toLocaleString("en") + "\n" + describe(best), event.clientX, event.clientY);
    });
  }
  for (const data of document.querySelectorAll("script.points")) {
    const chart = document.getElementById(data.dataset.chart);
    const names = document.getElementById(data.dataset.names);
    const points = JSON.parse(data.textContent);
    if (names) {
      const texts = JSON.parse(names.textContent);
      follow(chart, points, false, (point) => texts[point[3]] + "\n" + time(point[4]));
    } else {
      follow(chart, points, true, (point) => `lost ${time(point[3])}\nallowed ${time(point[4])}`);
    }
  }

  for (const table of document.querySelectorAll("table.sortable")) {
    const heads = [...table.tHead.rows[0].cells], body = table.tBodies[0];
    heads.forEach((head, column) => {
      const button = document.createElement("button");
      button.type = "button";
      button.append(...head.childNodes);
      head.append(button);
      button.addEventListener("click", () => {
        const rising = head.getAttribute("aria-sort") !== "ascending";
        for (const other of heads) other.removeAttribute("aria-sort");
        head.setAttribute("aria-sort", rising ? "ascending" : "descending");
        const compare = (a, b) => {
          const x = a.cells[column], y = b.cells[column];
          return x.dataset.v !== undefined && y.dataset.v !== undefined
            ? x.dataset.v - y.dataset.v
            : x.textContent.localeCompare(y.textContent, "en", { numeric: true });
        };
        const rows = [...body.rows].sort((a, b) => rising ? compare(a, b) : compare(b, a));
        body.append(...rows);
      });
    });
  }
  addEventListener("beforeprint", hide);
  document.documentElement.classList.add("scripted");
})();
)js";
}

}  // namespace vyre
