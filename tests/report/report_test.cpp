// SPDX-License-Identifier: Apache-2.0
// This test compares the numbers in pages with those of the report, and checks that pages load no
// files. It also checks the bytes, the ranks and the words of reports.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "close_to.h"
#include "page_tree.h"
#include "reduction.h"
#include "report_files.h"

using namespace tileplan;
using namespace tileplan::test;

TEST_CASE("layer_reports: reports have the order of their plans") {
  const Machine machine = load_machine("xeon-gold-6130");
  std::vector<Plan> plans;
  for (const char* problem : {"m96n64k200", "resnet18-9", "m64n64k64", "resnet18-11", "resnet18-3"})
    plans.push_back(plan(parse_problem(problem), machine));
  const std::vector<LayerReport> together = layer_reports(plans);
  REQUIRE(together.size() == plans.size());
  for (std::size_t i = 0; i < plans.size(); ++i)
    CHECK(layer_csv(together[i]) == layer_csv(layer_report(plans[i])));
  CHECK(layer_reports({}).empty());
}

TEST_CASE("report: the numbers of a layer page are those of the report") {
  const LayerReport report = report_of("resnet18-9");
  const std::string page = to_html(layer_document(report, kOrigin));
  check_self_contained(page);
  const pugi::xml_document document = tree_of(page);
  const auto& levels = report.explanation.levels;
  for (std::size_t i = 0; i < levels.size(); ++i) {
    for (std::size_t t = 0; t < 3; ++t)
      CHECK(number(document, "bytes", i + 1, t + 2) ==
            static_cast<double>(levels[i].tensors[t].bytes));
    CHECK(number(document, "bytes", i + 1, 6) == levels[i].bound_bytes);
  }
  for (std::size_t i = 0; i < report.plan.candidates.size(); ++i) {
    const Candidate& each = report.plan.candidates[i];
    CHECK(number(document, "candidates", i + 1, 2) == each.prediction.seconds);
    CHECK(cell(document, "candidates", i + 1, 5).child_value("code") == to_string(each.schedule));
  }
  CHECK(document.select_nodes("//svg").size() == levels.size() + 1);
  CHECK(page.find("c &lt; d") != std::string::npos);
}

TEST_CASE("report: a Winograd convolution has tables of its stages and of all algorithms") {
  const LayerReport report =
      layer_report(plan(parse_problem("mb1ic64ih28oc64oh28kh3ph1"), load_machine("xeon-gold-6130"),
                        {.algorithm = Algorithm::any}));
  const pugi::xml_document document = tree_of(to_html(layer_document(report, kOrigin)));
  const Prediction& first = report.plan.candidates.front().prediction;
  REQUIRE(first.stages.size() == 3);
  for (std::size_t i = 0; i < first.stages.size(); ++i) {
    CHECK(number(document, "stages", i + 1, 2) == first.stages[i].seconds);
    CHECK(number(document, "stages", i + 1, 3) == first.stages[i].compute_seconds);
    CHECK(number(document, "stages", i + 1, 4) == first.stages[i].levels[0].bytes);
    CHECK(number(document, "stages", i + 1, 5) == first.stages[i].levels[0].seconds);
  }
  const std::vector<AlgorithmBound>& algorithms = report.plan.certificate.algorithms;
  REQUIRE(algorithms.size() > 1);
  for (std::size_t i = 0; i < algorithms.size(); ++i)
    CHECK(number(document, "algorithms", i + 1, 3) == algorithms[i].bound);
  CHECK(to_html(layer_document(report, kOrigin)).find(kWinogradNote) != std::string::npos);
  const std::string direct = to_html(layer_document(report_of("resnet18-9"), kOrigin));
  CHECK(direct.find(kWinogradNote) == std::string::npos);
  CHECK(tree_of(direct).select_nodes("//table[@id='stages' or @id='algorithms']").empty());
}

TEST_CASE("report: a peer has a table with both times, the regime, and a place on the roofline") {
  LayerReport report = report_of("resnet18-9");
  const std::string without = to_html(layer_document(report, kOrigin));
  CHECK(without.find("Nothing was measured;") != std::string::npos);
  CHECK(tree_of(without).select_nodes("//table[@id='peer']").empty());
  report.peer = PeerTimes{.name = "oneDNN 0",
                          .layout = "nhwc",
                          .implementation = "jit",
                          .ours = Measurement{.median_seconds = 1e-3, .kept = 9, .samples = 10},
                          .peer = Measurement{.median_seconds = 2e-3, .kept = 9, .samples = 10},
                          .ratio = MedianInterval{.median = 2, .low = 1.9, .high = 2.1}};
  const std::string page = to_html(layer_document(report, kOrigin));
  const pugi::xml_document document = tree_of(page);
  CHECK(number(document, "peer", 1, 2) == 1e-3);
  CHECK(number(document, "peer", 2, 2) == 2e-3);
  CHECK(number(document, "peer", 1, 5) == close_to(2 * number(document, "peer", 2, 5)));
  CHECK(page.find("adjacent pairs with hot caches. The time of the peer over ours is 2.000") !=
        std::string::npos);
  CHECK(document.select_nodes("//svg/text[text()='oneDNN 0']").size() == 1);
  // The peak that was measured with the peer's samples is 1.25 times that of the machine, so the
  // peer reaches a smaller share of it.
  report.peer->peer->peak_flops = 1.25 * peak_flops(report.plan.machine);
  const pugi::xml_document faster = tree_of(to_html(layer_document(report, kOrigin)));
  CHECK(number(faster, "peer", 1, 5) == close_to(2.5 * number(faster, "peer", 2, 5)));
  CHECK(page.find("Nothing was measured") == std::string::npos);
  report.peer->ratio.reset();
  report.peer->disturbed = "no quiet core";
  CHECK(to_html(layer_document(report, kOrigin)).find("no ratio: no quiet core") !=
        std::string::npos);
}

TEST_CASE("report: bytes are never below their bound, the bound never below compulsory bytes") {
  for (const int threads : {1, 16})
    for (const char* problem : {"resnet18-4", "m96n64k200", "m25088n256k2304"}) {
      const LayerReport report = explained(problem, threads);
      CAPTURE(problem);
      CAPTURE(threads);
      for (std::size_t i = 0; i < report.explanation.levels.size(); ++i) {
        const LevelExplanation& level = report.explanation.levels[i];
        const LevelPrediction& link = report.plan.candidates.front().prediction.levels[i];
        CAPTURE(link.name);
        const auto moved = static_cast<double>(level.moved_bytes());
        CHECK(moved >= level.bound_bytes * (1 - 1e-12));
        CHECK(level.bound_bytes >= compulsory_bytes(report, i) * (1 - 1e-12));
        // The prediction counts whole cache lines. It does not count padding, nor weights that are
        // multiplied only with padding.
        const Computation& computation = report.computation;
        const double padding =
            (1 - stored_share(computation)) * static_cast<double>(level.tensors[0].bytes) +
            (1 - array_share(computation, Dim{0})) * static_cast<double>(level.tensors[1].bytes);
        if (!level.holds_problem) CHECK(link.bytes >= (moved - padding) * (1 - 1e-6));
      }
    }
}

TEST_CASE("report: outputs that are streamed count once, on the link to memory, as in bounds") {
  const LayerReport report = explained("m25088n256k2304", 16);
  const Explanation& streams = report.explanation;
  REQUIRE(streams.candidate.schedule.nontemporal);
  const double outputs = 4.0 * 25088 * 256;
  CHECK(streams.levels.back().tensors[2].bytes == outputs);
  CHECK(compulsory_bytes(report, 2) == close_to(4.0 * (25088 + 256) * 2304 + outputs));
  CHECK(compulsory_bytes(report, 0) == close_to(compulsory_bytes(report, 2) - outputs));
  Schedule stored = streams.candidate.schedule;
  stored.nontemporal = false;
  const Explanation stores = explain(report.plan.problem, streams.machine, stored, {.threads = 16});
  CHECK(stores.levels.back().tensors[2].bytes == 2 * outputs);
  CHECK(stores.levels.back().bound_bytes == close_to(streams.levels.back().bound_bytes + outputs));
}

TEST_CASE("report: pages say whose bytes they count, and the type of the elements") {
  const std::string one = to_markdown(layer_document(report_of("--dt=f64 m96n64k200"), kOrigin));
  CHECK(one.find(" in f64 on 1 thread.") != std::string::npos);
  CHECK(one.find("all threads") == std::string::npos);
  const LayerReport shared = report_of("resnet18-2", 2);
  const std::string two = to_markdown(layer_document(shared, kOrigin));
  CHECK(two.find(" in f32 on 2 threads.") != std::string::npos);
  CHECK(two.find("Bytes and times are of all threads together") != std::string::npos);
  const std::string nest = annotated_nest(shared);
  for (const char* cache : {"# L1 keeps In ", "# L2 keeps In ", "# L3 keeps In "})
    CHECK(count(nest, cache) == 1);
}

TEST_CASE("report: the nest says once for each cache at which loop its tile lives") {
  const LayerReport report = report_of("resnet18-9");
  const std::string nest = annotated_nest(report);
  for (const char* cache : {"# L1 keeps In ", "# L2 keeps In ", "# L3 keeps In "})
    CHECK(count(nest, cache) == 1);
  for (const Specifier& loop : report.explanation.candidate.schedule.loops)
    CHECK(nest.find(to_string(loop)) != std::string::npos);
}

TEST_CASE("report: the line of a cache is outside all loops of the tile that the cache keeps") {
  for (const char* problem : {"mobilenet-dw-8", "mobilenet-dw-9", "thin-gemm-scores-128"}) {
    CAPTURE(problem);
    const LayerReport report = explained(problem);
    const std::string nest = annotated_nest(report);
    const LevelExplanation& l1 = report.explanation.levels.front();
    CAPTURE(nest);
    for (const LoopExtent& kept : l1.tile) {
      if (kept.extent == 1) continue;
      std::int64_t inside = 1;
      const auto& loops = report.explanation.candidate.schedule.loops;
      for (std::size_t i = l1.loops_outside; i < loops.size(); ++i)
        if (loops[i].dim == kept.name && loops[i].kind != Kind::vector && !loops[i].is_lambda())
          inside *= std::max<std::int64_t>(loops[i].count, 1);
      CHECK(kept.extent % inside == 0);
      const std::string whole = "T(" + std::to_string(kept.extent) + "," + kept.name + ")";
      if (nest.find(whole) != std::string::npos) CHECK(nest.find("# L1") < nest.find(whole));
    }
  }
}

TEST_CASE("report: the words explain the loops of the page's schedule") {
  const LayerReport report = explained("resnet18-9");
  const std::string page = to_html(layer_document(report, kOrigin));
  CHECK(page.find("2*11,1*12") == std::string::npos);
  CHECK(page.find("U(14,w) are") == std::string::npos);
  CHECK(page.find("Predictions within 3 % of the best are ties.") != std::string::npos);
}

TEST_CASE("report: loops are said in steps, a lambda by its parts") {
  LayerReport report = report_of("m96n64k200");
  report.explanation = explain(report.plan.problem, report.plan.machine,
                               parse_schedule("[T(2,j), L(i,[2*11,4*12,1*26]), T(200,k), "
                                              "U(i), U(2,j), V(j)]"));
  const std::string nest = annotated_nest(report);
  CHECK(nest.find("2 steps of 32\n") != std::string::npos);
  CHECK(nest.find("2 steps of 11, 4 of 12, 1 of 26\n") != std::string::npos);
  CHECK(nest.find("200 steps of 1\n") != std::string::npos);
}

TEST_CASE("report: a faster link never costs time; more cores help what is limited by compute") {
  const LayerReport report = report_of("resnet18-2");
  const double best = report.plan.certificate.optimum;
  REQUIRE(report.sensitivity.size() == 5);
  for (const Sensitivity& each : report.sensitivity) CHECK(!each.bottleneck.empty());
  CHECK(report.sensitivity[0].change == "half the L2");
  // The per-level model ignores the cost of dispatches, so the search for half the L2 may find a
  // slightly faster schedule.
  CHECK(report.sensitivity[0].seconds >= best * (1 - 1e-3));
  for (std::size_t i = 1; i < 4; ++i) CHECK(report.sensitivity[i].seconds <= best * (1 + 1e-12));
  CHECK(report.sensitivity[4].seconds < 0.6 * best);
}

TEST_CASE("report: a second cache whose half is smaller than the first is not halved") {
  Machine machine = load_machine("xeon-gold-6130");
  machine.caches[1].capacity_bytes = 3 * machine.caches[0].capacity_bytes / 2;
  const LayerReport report = layer_report(plan(parse_problem("m64n64k64"), machine));
  REQUIRE(!report.sensitivity.empty());
  CHECK(report.sensitivity.front().change == "twice the bandwidth into L1");
}

TEST_CASE("report: ranks are explained by numbers; measurements go before predictions") {
  Plan ranked = report_of("resnet18-9").plan;
  CHECK(reason_of_rank(ranked, 0).starts_with("chosen; limited by "));
  for (std::size_t i = 1; i < ranked.candidates.size(); ++i)
    CHECK(reason_of_rank(ranked, i).find(" % slower") != std::string::npos);
  ranked.candidates[0].measurement = Measurement{.median_seconds = 1e-3};
  ranked.candidates[1].measurement = Measurement{.median_seconds = 1.1e-3};
  CHECK(reason_of_rank(ranked, 0).starts_with("fastest measured"));
  CHECK(reason_of_rank(ranked, 1).starts_with("10.0 % slower as measured"));
  CHECK(reason_of_rank(ranked, 2) == "not measured");
}

TEST_CASE("report: measured times below the bound are explained beside the bound") {
  LayerReport report = report_of("resnet18-9");
  const auto has_note = [&] {
    return to_markdown(layer_document(report, {})).find("below this bound, which is one on ") !=
           std::string::npos;
  };
  CHECK_FALSE(has_note());
  report.plan.candidates[0].measurement =
      Measurement{.median_seconds = report.plan.certificate.bound / 2};
  CHECK(has_note());
}

TEST_CASE("report: a rank among ties is explained by the rule that decided it") {
  const auto candidate = [](const std::string& schedule, double seconds, double steps,
                            double bytes) {
    Candidate result{.schedule = parse_schedule(schedule), .prediction = {}, .measurement = {}};
    result.prediction.seconds = seconds;
    result.prediction.reduction_steps = steps;
    result.prediction.bottleneck = "L3";
    result.prediction.levels = {{.name = "L1", .bytes = 1e9}, {.name = "L2", .bytes = bytes}};
    return result;
  };
  const std::string four = "[T(2,k), T(4,w), T(8,c), U(7,w), V(k)]",
                    five = "[T(2,k), T(2,w), T(2,w), T(8,c), U(7,w), V(k)]",
                    other = "[T(4,w), T(2,k), T(8,c), U(7,w), V(k)]";
  Plan ranked;
  ranked.certificate.optimum = 0.998;
  ranked.candidates = {candidate(four, 1, 64, 2e6),      candidate(four, 0.998, 32, 2e6),
                       candidate(four, 0.999, 64, 8e6),  candidate(five, 0.998, 64, 2e6),
                       candidate(other, 1.005, 64, 2e6), candidate(other, 1, 64, 2e6),
                       candidate(other, 1.03, 64, 2e6)};
  CHECK(reason_of_rank(ranked, 1) ==
        "0.2 % faster, a tie: behind rank 1 for reductions of 32 steps, not 64");
  CHECK(reason_of_rank(ranked, 2) ==
        "0.1 % faster, a tie: behind rank 1 for 8.00 MB from beyond L2, not 2.00 MB");
  CHECK(reason_of_rank(ranked, 3) == "0.2 % faster, a tie: behind rank 1 for 6 loops, not 5");
  CHECK(reason_of_rank(ranked, 4) == "0.5 % slower, a tie: behind rank 1 for its predicted time");
  CHECK(reason_of_rank(ranked, 5) == "0.0 % slower, a tie: behind rank 1 for its text alone");
  // Ties are counted from the fastest candidate, which need not be the first.
  CHECK(reason_of_rank(ranked, 6) == "3.0 % slower; limited by L3");
}

TEST_CASE("report: Markdown has the tables of the page") {
  const LayerReport report = report_of("resnet18-9");
  const std::string text = to_markdown(layer_document(report, kOrigin));
  CHECK(text.starts_with("# resnet18-9 on "));
  CHECK(count(text, "\n| into L") == report.explanation.levels.size());
  CHECK(count(text, "; into L") == report.explanation.levels.size());
  CHECK(text.find(
            "| over the bytes into | flops per byte | speed |\n| --- | ---: | ---: |\n| L1 |") !=
        std::string::npos);
  CHECK(text.find("`" + to_string(report.plan.candidates[0].schedule) + "`") != std::string::npos);
  CHECK(to_markdown(
            {.title = "t",
             .sections = {{.title = "",
                           .blocks = {Table{
                               .id = "x", .headings = {"a"}, .rows = {{{.text = "b|c"}}}}}}}}) ==
        "# t\n\n| a |\n| --- |\n| b\\|c |\n");
}

TEST_CASE("report: layers are described in words") {
  CHECK(description(parse_problem("mb1ic3ih224oc64oh112kh7sh2ph3")) ==
        "convolution, batch 1: 3 x 224 x 224 -> 64 x 112 x 112, filter 7 x 7, stride 2 x 2, "
        "padding 3 x 3");
  CHECK(description(parse_problem("g32mb1ic32iw10oc32ow8kw3pw0")) ==
        "convolution, batch 1, 32 groups of channels: 32 x 10 -> 32 x 8, filter 3");
  CHECK(description(parse_problem("b2m3n4k5")) == "matrix product, batch 2: 3 x 5 times 5 x 4");
}

TEST_CASE("report: numbers have three digits and a prefix") {
  CHECK(with_prefix(0.0008193, "s") == "819 us");
  CHECK(with_prefix(2359296, "B") == "2.36 MB");
  CHECK(with_prefix(999.6e3, "B") == "1.00 MB");
  CHECK(with_prefix(64, "B") == "64 B");
  CHECK(with_prefix(0, "B") == "0 B");
}
