#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>

#include "browser.h"
#include "vyre/base/files/files.h"
#include "vyre/base/files/temporary_folder_testing.h"
#include "vyre/report/findings.h"
#include "vyre/report/page/charts.h"
#include "vyre/report/tune_html.h"
#include "vyre/report/tune_record_testing.h"

namespace vyre {
namespace {

using Json = nlohmann::json;

class ReportPage : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto found = find_browser();
    if (!found) GTEST_SKIP() << "no Chromium here: install it, or set VYRE_CHROMIUM";
    browser_ = *found;
  }

  std::filesystem::path write(const std::string& name, const std::string& page) {
    const std::filesystem::path path = folder_.path() / name;
    EXPECT_TRUE(replace_file(path, page));
    return path;
  }

  Loaded load(const std::filesystem::path& path, const std::vector<std::string>& options = {}) {
    Loaded loaded = load_page(browser_, path, folder_.path(), options);
    EXPECT_TRUE(loaded.finished) << loaded.log;
    return loaded;
  }

  // With a script at its end, whose value is returned.
  Json drive(const std::string& page, const std::string& script,
             const std::vector<std::string>& options = {}) {
    std::string driven = page;
    const auto end = driven.rfind("</body>");
    driven.insert(end,
                  "<pre id=\"driven\"></pre><script>window.onload=()=>{"
                  "document.getElementById('driven').textContent=JSON.stringify((()=>{" +
                      script + "})())}</script>");
    const Loaded loaded = load(write("driven.html", driven), options);
    EXPECT_TRUE(loaded.console.empty()) << loaded.console.front();
    return result_of(loaded);
  }

  static Json result_of(const Loaded& loaded) {
    const std::string open = "<pre id=\"driven\">";
    const auto at = loaded.document.find(open);
    if (at == std::string::npos) return nullptr;
    const auto end = loaded.document.find("</pre>", at);
    return Json::parse(loaded.document.substr(at + open.size(), end - at - open.size()), nullptr,
                       false);
  }

  TemporaryFolder folder_;
  std::string browser_;
};

// Without this, silence would prove nothing.
TEST_F(ReportPage, WhatGoesWrongOnAPageIsSeen) {
  const Loaded loaded =
      load(write("wrong.html",
                 "<!DOCTYPE html><title>x</title><img src=\"http://127.0.0.1:9/\">"
                 "<script>console.warn('careful');missing()</script>"));
  ASSERT_EQ(loaded.console.size(), 2u);
  EXPECT_TRUE(loaded.console[0].contains("careful"));
  EXPECT_TRUE(loaded.console[1].contains("missing is not defined"));
  ASSERT_FALSE(loaded.requests.empty());
  EXPECT_EQ(loaded.requests[0], "http://127.0.0.1:9/");
}

TEST_F(ReportPage, LoadsWithoutAMessageOrARequest) {
  for (const TuneReport& report :
       {synthetic_report(1), synthetic_report(3, 20'000), hostile_report(), TuneReport{}}) {
    const Loaded loaded = load(write("page.html", tune_html(report)));
    EXPECT_TRUE(loaded.console.empty()) << loaded.console.front();
    EXPECT_TRUE(loaded.requests.empty()) << loaded.requests.front();
    EXPECT_TRUE(loaded.document.contains("class=\"scripted\"")) << "the script did not run through";
  }
}

TEST_F(ReportPage, ChartsHoldTheirMarks) {
  const TuneReport report = synthetic_report();
  const Findings findings = findings_of(report.kernels[0]);
  const Json seen = drive(tune_html(report), R"js(
    const count = (what) => document.querySelectorAll(what).length;
    // Drawn, and within the chart's own box.
    const drawn = (what) => [...document.querySelectorAll(what)].filter((mark) => {
      const box = mark.getBoundingClientRect();
      const chart = mark.closest("svg.chart").getBoundingClientRect();
      return box.width > 1 && box.height > 1 && box.left >= chart.left - 6 &&
             box.right <= chart.right + 6 && box.top >= chart.top - 6 && box.bottom <= chart.bottom + 6;
    }).length;
    return { rows: drawn("#k1-candidates > use"), hits: count("#k1-candidates .hit"),
             cells: drawn(".heat .hit"), plain: drawn("#k1-search .plain-calls use"),
             probes: drawn("#k1-search .probes use"), promotions: count("#k1-search .promotion"),
             incumbent: count("#k1-search path.incumbent"), lost: count("#k1-regret path.lost"),
             candidates: count(".data tbody tr"), buttons: count("th button") };)js");
  ASSERT_TRUE(seen.is_object()) << seen;
  EXPECT_EQ(seen["rows"], seen["hits"]);
  EXPECT_GE(seen["rows"], kFastestRows);
  EXPECT_EQ(seen["cells"], 54);
  EXPECT_EQ(seen["plain"].get<int>() + seen["probes"].get<int>(), 1000);
  EXPECT_EQ(seen["promotions"], findings.promotions.size());
  EXPECT_EQ(seen["incumbent"], 1);
  EXPECT_EQ(seen["lost"], 1);
  EXPECT_EQ(seen["candidates"], 54);
  EXPECT_GT(seen["buttons"], 10);
}

TEST_F(ReportPage, HintsFollowThePointerAndTablesSort) {
  const Json seen = drive(tune_html(synthetic_report()), R"js(
    const hint = document.getElementById("hint"), out = { hidden: hint.hidden };
    const point = (target, x, y) => target.dispatchEvent(
      new PointerEvent("pointermove", { clientX: x, clientY: y, bubbles: true }));
    const row = document.querySelector("#k1-candidates .hit").getBoundingClientRect();
    point(document.querySelector("#k1-candidates .hit"), row.left + 5, row.top + 5);
    out.candidate = hint.textContent;
    const mark = document.querySelector("#k1-search .probes use").getBoundingClientRect();
    const search = document.getElementById("k1-search");
    point(search, mark.left + mark.width / 2, mark.top + mark.height / 2);
    out.call = hint.textContent;
    const regret = document.getElementById("k1-regret").getBoundingClientRect();
    point(document.getElementById("k1-regret"), regret.right - 30, regret.top + 30);
    out.regret = hint.textContent;
    search.dispatchEvent(new PointerEvent("pointerleave"));
    out.left = hint.hidden;
    const table = document.querySelector(".data table"), heads = [...table.tHead.rows[0].cells];
    const samples = heads.findIndex((head) => head.textContent === "samples");
    const button = heads[samples].querySelector("button");
    const column = () => [...table.tBodies[0].rows].map((row) => +row.cells[samples].dataset.v);
    button.click(); out.rising = column();
    button.click(); out.falling = column();
    out.sort = heads[samples].getAttribute("aria-sort");
    return out;)js");
  ASSERT_TRUE(seen.is_object()) << seen;
  EXPECT_EQ(seen["hidden"], true);
  EXPECT_TRUE(seen["candidate"].get<std::string>().contains("the middle half"))
      << seen["candidate"];
  EXPECT_TRUE(seen["call"].get<std::string>().starts_with("call ")) << seen["call"];
  EXPECT_TRUE(seen["call"].get<std::string>().contains("strided") ||
              seen["call"].get<std::string>().contains("blocked"));
  EXPECT_TRUE(seen["regret"].get<std::string>().contains("allowed")) << seen["regret"];
  EXPECT_EQ(seen["left"], true);
  auto rising = seen["rising"].get<std::vector<double>>();
  EXPECT_TRUE(std::ranges::is_sorted(rising));
  auto falling = seen["falling"].get<std::vector<double>>();
  EXPECT_TRUE(std::ranges::is_sorted(falling, std::greater{}));
  EXPECT_EQ(seen["sort"], "descending");
}

// From a telephone to a large screen, with texts of any length.
TEST_F(ReportPage, FitsEveryWidth) {
  write("one.html", tune_html(synthetic_report()));
  write("many.html", tune_html(synthetic_report(3, 300)));
  write("hostile.html", tune_html(hostile_report()));
  std::string frames = "<!DOCTYPE html><html><body>";
  for (const char* name : {"one", "many", "hostile"})
    for (const int width : {340, 390, 768, 1280, 2560})
      frames += fmt::format(
          "<iframe src=\"{}.html\" style=\"border:0;height:900px;width:{}px\"></iframe>", name,
          width);
  const Json seen = drive(frames + "</body></html>", R"js(
    return [...document.querySelectorAll("iframe")].map((frame) => {
      const page = frame.contentDocument, width = page.documentElement.clientWidth;
      const beyond = [...page.querySelectorAll("svg.chart text")].filter((text) => {
        const box = text.getBoundingClientRect();
        return box.width > 0 && (box.left < -1 || box.right > width + 1);
      });
      return { page: frame.getAttribute("src"), width,
               overflow: page.documentElement.scrollWidth - width, beyond: beyond.length };
    });)js",
                          {"--allow-file-access-from-files"});
  ASSERT_TRUE(seen.is_array()) << seen;
  ASSERT_EQ(seen.size(), 15u);
  for (const Json& each : seen) {
    EXPECT_LE(each["overflow"], 0) << each;
    if (each["page"] != "hostile.html") {
      EXPECT_EQ(each["beyond"], 0) << each;
    }
  }
}

TEST_F(ReportPage, TextsAndMarksStandOutInLightAndDark) {
  const std::string page = tune_html(synthetic_report(1, 50));
  std::vector<std::string> cards;
  for (const char* scheme : {"0", "1"}) {
    const Json seen = drive(page, R"js(
      const style = getComputedStyle(document.documentElement);
      const light = (name) => {
        const probe = document.createElement("i");
        probe.style.color = style.getPropertyValue("--" + name);
        document.body.appendChild(probe);
        const parts = getComputedStyle(probe).color.match(/[\d.]+/g).slice(0, 3).map((part) => {
          const value = part / 255;
          return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
        });
        return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2];
      };
      const contrast = (a, b) => {
        const [dark, bright] = [light(a), light(b)].sort((x, y) => x - y);
        return (bright + 0.05) / (dark + 0.05);
      };
      const low = [];
      const expect = (least, a, b) => {
        if (contrast(a, b) < least) low.push(`${a} on ${b}: ${contrast(a, b).toFixed(2)}`);
      };
      for (const ground of ["page", "card", "tint"]) {
        expect(4.5, "ink", ground);
        expect(4.5, "soft", ground);
      }
      for (const text of ["accent", "good"]) { expect(4.5, text, "page"); expect(4.5, text, "card"); }
      for (const mark of ["chosen", "start", "declared", "a", "b", "c", "d", "rest", "call"])
        expect(3, mark, "card");
      for (let i = 0; i < 7; i++) expect(4.5, "t" + i, "h" + i);
      expect(4.5, "soft", "hatch");
      return { low, card: style.getPropertyValue("--card") };)js",
                            {std::string("--blink-settings=preferredColorScheme=") + scheme});
    ASSERT_TRUE(seen.is_object()) << seen;
    EXPECT_TRUE(seen["low"].empty()) << seen["low"];
    cards.push_back(seen["card"]);
  }
  EXPECT_NE(cards[0], cards[1]) << "both schemes look alike";
}

}  // namespace
}  // namespace vyre
