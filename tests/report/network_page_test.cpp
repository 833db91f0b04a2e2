// SPDX-License-Identifier: Apache-2.0
// This test checks that the page of a network shows the numbers of its layers and the nodes without
// a plan. It also checks the formats of reports and the labels of charts.
#include "network_page.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "close_to.h"
#include "error_of.h"
#include "label_placer.h"
#include "page_tree.h"
#include "report_files.h"
#include "run_sections.h"
#include "temporary_folder.h"
#include "tileplan/error.h"

using namespace tileplan;
using namespace tileplan::test;

namespace {

/// Returns a network of two layers, of which the second is executed three times. A product and 35
/// Relu nodes have no plan.
NetworkPlan small_network() {
  NetworkPlan network{.name = "net", .machine = load_machine("xeon-gold-6130")};
  for (const char* problem : {"m64n64k64", "m96n64k200"})
    network.layers.push_back({.name = std::string("/body/") + problem,
                              .plan = plan(parse_problem(problem), network.machine)});
  network.layers[1].count = 3;
  network.unplanned = {
      {.kind = "Relu", .reason = "no product", .nodes = std::vector<std::string>(35, "relu")},
      {.kind = "Gemm", .reason = "B is open", .nodes = {"fc"}, .flops = 4e6, .bytes = 8e6}};
  network.operations = 5;
  network.planned = 4;
  return network;
}

const NetworkReport& shared_report() {
  static const NetworkReport report = network_report(small_network());
  return report;
}

std::string page() { return to_html(network_document(shared_report(), kOrigin)); }

std::string class_of(const pugi::xml_node& node) { return node.attribute("class").value(); }

}  // namespace

TEST_CASE("network page: its first words are the coverage, dropped work is an alarm") {
  const std::string text = page();
  check_self_contained(text);
  const pugi::xml_document document = tree_of(text);
  const auto paragraphs = document.select_nodes("//section[1]/p");
  const pugi::xml_node first = document.select_node("//section[1]/p[1]").node();
  CHECK(first.text().get() == std::string("The plan covers 4 of 5 convolutions and products."));
  const pugi::xml_node alarm = document.select_node("//p[@class='alarm']").node();
  CHECK(alarm.text().get() ==
        std::string("1 Gemm has no plan (fc; 4.00 Mflop, 8.00 MB): B is open"));
  CHECK(document.select_node("//section[1]/p[3]").node().text().get() ==
        std::string("The time and the bytes of 36 nodes are not counted: 35 Relu, 1 Gemm."));
  CHECK(cell(document, "unplanned", 1, 1).text().get() == std::string("Relu"));
  CHECK(number(document, "unplanned", 1, 2) == 35);
  CHECK(cell(document, "unplanned", 1, 4).text().get() == std::string("-"));
  CHECK(cell(document, "unplanned", 1, 6).text().get() ==
        std::string("relu, relu, relu and 32 more"));
}

TEST_CASE("network page: a row per layer that sorts by plain numbers, and their sums") {
  const NetworkReport& report = shared_report();
  const pugi::xml_document document = tree_of(page());
  double seconds = 0, shares = 0;
  for (std::size_t row = 1; row <= 2; ++row) {
    CHECK(cell(document, "layers", row, 1).text().get() == report.network.layers[row - 1].name);
    CHECK(number(document, "layers", row, 3) == seconds_of(report.layers[row - 1]));
    CHECK(cell(document, "layers", row, 4).text().get() == std::string("-"));
    seconds += report.count(row - 1) * number(document, "layers", row, 3);
    shares += number(document, "layers", row, 5);
  }
  CHECK(totals_of(report).seconds == close_to(seconds));
  CHECK(shares == close_to(1));
  const std::string script = document.select_node("//script").node().text().get();
  CHECK(script.find_first_of("<>&") == std::string::npos);
  CHECK(count(network_csv(report), "\n") == 3);
}

TEST_CASE("network page: the share of peak counts with the clock beside each measurement") {
  NetworkReport report = shared_report();
  const double share = totals_of(report).share_of_peak;
  for (LayerReport& layer : report.layers)
    layer.plan.candidates.front().measurement = Measurement{
        .median_seconds = seconds_of(layer), .peak_flops = 1.25 * peak_flops(layer.plan.machine)};
  CHECK(totals_of(report).share_of_peak == close_to(share / 1.25));
}

TEST_CASE("network page: bars are in network order, in the colour of the legend, and open") {
  const NetworkReport& report = shared_report();
  const pugi::xml_document document = tree_of(page());
  const auto rows = document.select_nodes("//details");
  REQUIRE(rows.size() == 2);
  std::set<std::string> colours;
  for (const pugi::xpath_node& entry : document.select_nodes("//div[@class='legend']/span/i"))
    colours.insert(class_of(entry.node()));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const pugi::xml_node summary = rows[i].node().child("summary");
    CHECK(summary.child("span").text().get() == report.network.layers[i].name);
    const std::string hint = summary.attribute("title").value();
    CHECK(hint.find(to_string(report.layers[i].plan.candidates.front().schedule)) !=
          std::string::npos);
    CHECK(hint.find("no schedule moves less than") != std::string::npos);
    const std::string bar = class_of(summary.select_node("span/span").node());
    CHECK(colours.contains(bar.substr(bar.find(' ') + 1)));
    CHECK(!rows[i].node().select_nodes(".//svg").empty());
  }
}

TEST_CASE("network page: a peer has its time beside ours in the table, the row and the CSV file") {
  NetworkReport report = shared_report();
  CHECK(tree_of(page()).select_nodes("//table[@id='peers']").empty());
  const auto time = [](double seconds) { return Measurement{.median_seconds = seconds}; };
  report.layers[0].peer = PeerTimes{.name = "oneDNN 0",
                                    .ours = time(1e-3),
                                    .peer = time(2e-3),
                                    .ratio = MedianInterval{.median = 2, .low = 1.9, .high = 2.1}};
  report.layers[1].peer = PeerTimes{.name = "oneDNN 0", .disturbed = "no quiet core"};
  const std::string text = to_html(network_document(report, kOrigin));
  const pugi::xml_document document = tree_of(text);
  CHECK(number(document, "peers", 1, 3) == 1e-3);
  CHECK(number(document, "peers", 1, 4) == 2e-3);
  CHECK(number(document, "peers", 1, 5) == 2);
  CHECK(cell(document, "peers", 2, 8).text().get() == std::string("no quiet core"));
  CHECK(text.find("in pairs: this plan 1.00 ms, oneDNN 0 2.00 ms") != std::string::npos);
  CHECK(text.find("oneDNN 0 / this plan") != std::string::npos);
  const std::string csv = network_csv(report);
  CHECK(csv.find(",peer,ours_s,peer_s,ratio\n") != std::string::npos);
  CHECK(csv.find(",oneDNN 0,0.001000000,0.002000000,2.0000\n") != std::string::npos);
  CHECK(csv.ends_with(",oneDNN 0,,,\n"));
}

namespace {

/// Returns the report of two convolutions with a pool between them, with invented times of a run.
NetworkReport run_report() {
  using Integers = std::vector<std::int64_t>;
  Graph graph{.name = "run"};
  int x = graph.input("image", {1, 64, 14, 14});
  const auto conv = [&] {
    const std::string name = "conv" + std::to_string(graph.nodes.size());
    const int weights =
        graph.constant(name + " weights", {64, 64, 3, 3}, std::vector<float>(64 * 64 * 9));
    x = graph.node("Conv", {x, weights}, {{"pads", Integers{1, 1, 1, 1}}}, name);
  };
  conv();
  x = graph.node("MaxPool", {x}, {{"kernel_shape", Integers{2, 2}}, {"strides", Integers{2, 2}}});
  conv();
  graph.output(x);
  const Machine machine = load_machine("xeon-gold-6130");
  NetworkReport report = network_report(
      plan_network(graph, machine, {.plan = {.algorithm = Algorithm::any}, .second_best = true}));
  report.times = NetworkTimes{.whole = {.median_seconds = 3e-3}};
  for (std::size_t s = 0; s < report.network.steps.size(); ++s)
    report.times->step_seconds.push_back(1e-4 * static_cast<double>(s + 1));
  return report;
}

}  // namespace

TEST_CASE("network page: a run has its steps, conversions and memory, in JSON too") {
  const NetworkReport report = run_report();
  const NetworkPlan& network = report.network;
  const std::string text = to_html(network_document(report, kOrigin));
  check_self_contained(text);
  const pugi::xml_document document = tree_of(text);
  CHECK(text.find("measured run") != std::string::npos);
  double predicted = 0;
  for (std::size_t s = 0; s < network.steps.size(); ++s) {
    CHECK(cell(document, "steps", s + 1, 1).text().get() == network.steps[s].name);
    CHECK(number(document, "steps", s + 1, 6) == report.times->step_seconds[s]);
    predicted += number(document, "steps", s + 1, 5);
    const NetworkStep& step = network.steps[s];
    CHECK((step.second_best.empty() || step.second_best_seconds >= network.layouts.seconds));
    if (step.kind == "Conv") CHECK(!step.second_best.empty());
  }
  CHECK(predicted == close_to(network.layouts.seconds));
  CHECK(!document.select_nodes("//table[@id='conversions']//tr").empty());
  const std::vector<double> in_use = bytes_in_use(network);
  CHECK(*std::ranges::max_element(in_use) == static_cast<double>(network.arena.least_bytes));
  const nlohmann::json json = nlohmann::json::parse(network_json(report)).at("run");
  CHECK(json.at("steps").size() == network.steps.size());
  CHECK(json.at("arena").at("bytes") == network.arena.bytes);
  CHECK(json.at("measured_s") == 3e-3);
}

TEST_CASE("network page: no two elements have the same id") {
  const pugi::xml_document document = tree_of(page());
  std::set<std::string> ids;
  for (const pugi::xpath_node& each : document.select_nodes("//*[@id]"))
    CHECK(ids.insert(each.node().attribute("id").value()).second);
}

TEST_CASE("network page: Markdown has the tables, and no rows that would open") {
  const std::string text = to_markdown(network_document(shared_report(), kOrigin));
  CHECK(text.find("**1 Gemm has no plan") != std::string::npos);
  CHECK(text.find("in the order of the network") == std::string::npos);
  CHECK(text.find("| /body/m64n64k64 |") != std::string::npos);
}

TEST_CASE("write_report: the end of the name gives the format, others are refused") {
  const TemporaryFolder folder;
  const Plan found = plan(parse_problem("m64n64k64"), load_machine("xeon-gold-6130"));
  int calls = 0;
  const ReportOptions options{.origin = kOrigin, .progress = [&](int, int) { ++calls; }};
  for (const auto& [name, start] : {std::pair<std::string, std::string>{"a.html", "<!DOCTYPE html"},
                                    {"a.md", "# m64n64k64 on "},
                                    {"a.json", "{"},
                                    {"a.csv", "problem,cache,"}}) {
    write_report(found, folder / name, options);
    CHECK(content_of(folder / name).starts_with(start));
  }
  CHECK(calls > 0);
  CHECK(error_of([&] { write_report(found, folder / "a.pdf"); }).find("must end in .html") !=
        std::string::npos);
  CHECK(report_format_of("x.csv") == ReportFormat::csv);
}

TEST_CASE("report: peers are none, or one for each plan") {
  const Plan found = plan(parse_problem("m64n64k64"), load_machine("xeon-gold-6130"));
  const ReportOptions options{.peers = {{.name = "a"}, {.name = "b"}}};
  CHECK(error_of([&] { report(found, ReportFormat::csv, options); }) ==
        "report: 2 peers for 1 plans; must be one for each, or none");
}

TEST_CASE("roofline: labels cover neither each other nor the marks") {
  LabelPlacer placer({0, 0, 400, 300});
  std::vector<LabelBox> boxes;
  for (int i = 0; i < 8; ++i) placer.add_mark({196, 146, 204, 154});
  for (const char* name : {"L1", "L2", "L3", "measured", "oneDNN 2.6.3", "compulsory"})
    boxes.push_back(placer.place(name, {{200, 150}}).box);
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    CHECK(!boxes[i].overlaps({196, 146, 204, 154}));
    for (std::size_t j = 0; j < i; ++j) CHECK(!boxes[i].overlaps(boxes[j]));
  }
}

TEST_CASE("roofline: a label behind another line is placed with the point that it names") {
  LabelPlacer placer({0, 0, 400, 300});
  placer.add_line({0, 300}, {200, 0});
  placer.add_mark({0, 0, 90, 300});
  const std::vector<SvgPoint> anchors = {{20, 100}, {80, 40}};
  const LabelPlace place = placer.place("into L2", anchors);
  CHECK((place.anchor.x == 20 || place.anchor.x == 80));
  CHECK(!place.box.overlaps({0, 0, 90, 300}));
}

TEST_CASE("charts: the name of a bar starts inside the drawing, in a wide font too") {
  const Document document{
      .title = "t",
      .sections = {{.title = "",
                    .blocks = {BarChart{
                        .axis = "bytes", .unit = "B", .bars = {{"gemm48", {1}}, {"c", {2}}}}}}}};
  const pugi::xml_document tree = tree_of(to_html(document));
  // In DejaVu Sans of 14 pixels, g, 4 and 8 are 8.9 pixels wide, e is 8.6 and m is 13.6.
  constexpr double kWidth = 3 * 8.9 + 8.6 + 2 * 13.6;
  const pugi::xml_node name = tree.select_node("//svg/text[text()='gemm48']").node();
  CHECK(name.attribute("x").as_double() >= kWidth);
}

TEST_CASE("pages: text between backticks is code, as in Markdown; a single backtick is text") {
  const auto page = [](const std::string& text) {
    return to_html({.title = "t", .sections = {{.title = "", .blocks = {Paragraph{text}}}}});
  };
  CHECK(page("run `a<b` once").find("<p>run <code>a&lt;b</code> once</p>") != std::string::npos);
  CHECK(page("a ` b").find("<p>a ` b</p>") != std::string::npos);
}
