// SPDX-License-Identifier: Apache-2.0
// This test checks the text about the share of a network that its plan covers, and that records
// which cannot be opened are refused.
#include "coverage.h"

#include <doctest/doctest.h>

#include "temporary_folder.h"
#include "tileplan/error.h"

using namespace tileplan;

namespace {

NetworkPlan network_with(std::vector<Unplanned> unplanned, int planned, int operations) {
  return {.name = "net",
          .unplanned = std::move(unplanned),
          .operations = operations,
          .planned = planned};
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("coverage: counts convolutions and products, and names the operators left out") {
  CHECK(covered_text(network_with({}, 20, 20)) ==
        "The plan covers all 20 convolutions and products.");
  CHECK(not_counted_text(network_with({}, 20, 20)).empty());
  const NetworkPlan network = network_with({{.kind = "Relu", .reason = "a", .nodes = {"r1", "r2"}},
                                            {.kind = "Add", .reason = "a", .nodes = {"s"}},
                                            {.kind = "Relu", .reason = "b", .nodes = {"r3"}}},
                                           4, 5);
  CHECK(covered_text(network) == "The plan covers 4 of 5 convolutions and products.");
  CHECK(not_counted_text(network) ==
        "The time and the bytes of 4 nodes are not counted: 3 Relu, 1 Add.");
}

TEST_CASE("coverage: a dropped product has its work; unknown work is said in words") {
  CHECK(dropped_text(
            {.kind = "Gemm", .reason = "open", .nodes = {"fc"}, .flops = 2e6, .bytes = 4e3}) ==
        "1 Gemm has no plan (fc; 2.00 Mflop, 4.00 kB): open");
  CHECK(dropped_text({.kind = "MatMul", .reason = "open", .nodes = {"a", "b", "c", "d", "e"}}) ==
        "5 MatMul have no plan (a, b, c and 2 more; work unknown): open");
  CHECK(unplanned_json({{.kind = "Relu", .reason = "a", .nodes = {"r"}}})[0]["flops"].is_null());
}

TEST_CASE("coverage: the text of a network begins with it, and absent times are dashes") {
  const TemporaryFolder folder;
  const std::string table = folder.write("two.csv", "name,problem\na,m64n64k64\nb,m96n64k200\n");
  int calls = 0;
  NetworkPlan network =
      plan_network(table, load_machine("xeon-gold-6130"),
                   {.progress = [&](int, int all) { calls += all == 2 ? 1 : 0; }});
  CHECK(calls == 2);
  network.unplanned = {{.kind = "Gemm", .reason = "open", .nodes = {"fc"}, .flops = 2e6}};
  network.operations = 3;
  const std::string text = to_text(network);
  CHECK(text.starts_with("two on xeon-gold-6130: The plan covers 2 of 3 convolutions"));
  CHECK(has(text, "predicted, hot caches"));
  CHECK(has(text, "  -  "));
  CHECK(!has(text, "\x1b["));
  CHECK(has(to_text(network, {.width = 80, .colour = true}), "\x1b[31m1 Gemm has no plan"));
}

TEST_CASE("network: records that cannot be opened are refused before any layer is planned") {
  const TemporaryFolder folder;
  const std::string table = folder.write("one.csv", "name,problem\na,m64n64k64\n");
  int calls = 0;
  const NetworkOptions options{.plan = {.verify = 1},
                               .records = {.path = folder.write("none.db", "no database")},
                               .progress = [&](int, int) { ++calls; }};
  CHECK_THROWS_AS(plan_network(table, load_machine("xeon-gold-6130"), options), Error);
  CHECK(calls == 0);
}
