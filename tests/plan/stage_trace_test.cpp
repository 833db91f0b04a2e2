// SPDX-License-Identifier: Apache-2.0
// This test checks the lines that planning prints for its stages when TILEPLAN_TRACE is set.
#include "stage_trace.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "tileplan/plan.h"

using namespace tileplan;

namespace {

/// Plans `problem` and returns the lines that planning wrote on stderr.
std::vector<std::string> traced_plan(const Problem& problem, const Machine& machine) {
  std::fflush(stderr);
  std::FILE* const file = std::tmpfile();
  const int before = ::dup(STDERR_FILENO);
  ::dup2(::fileno(file), STDERR_FILENO);
  plan(problem, machine, {.top = 3});
  ::dup2(before, STDERR_FILENO);
  ::close(before);
  std::rewind(file);
  std::vector<std::string> lines(1);
  for (int c = std::fgetc(file); c != EOF; c = std::fgetc(file))
    c == '\n' ? lines.emplace_back() : lines.back() += static_cast<char>(c);
  std::fclose(file);
  lines.pop_back();
  return lines;
}

double number(const std::string& line, const std::string& key) {
  const std::size_t at = line.find(" " + key + "=");
  REQUIRE(at != std::string::npos);
  return std::stod(line.substr(at + key.size() + 2));
}

}  // namespace

TEST_CASE("trace: a plan shows its stages in order, and each improves on those before it") {
  ::setenv("TILEPLAN_TRACE", "orders,search,combos,rank", 1);
  const std::vector<std::string> lines =
      traced_plan(parse_problem("mb1ic16ih14oc32oh14kh3ph1"), load_machine("xeon-gold-6130"));
  const std::vector<std::string> starts = {
      "orders  signatures=21 classes=8", "search  step=divisor_tiles isa=avx512 combos=",
      "search  step=uneven_tiles isa=",  "search  step=pixel_vectors isa=",
      "search  step=mixed_tilings isa=", "search  step=untiled_nests isa=",
      "search  step=loop_orders isa=",   "combos  all="};
  REQUIRE(lines.size() > starts.size());
  for (std::size_t i = 0; i < starts.size(); ++i) CHECK(lines[i].starts_with(starts[i]));
  for (std::size_t i = 2; i < 7; ++i) {
    for (const char* const key : {"combos", "nodes", "candidates", "rejected"})
      CHECK(number(lines[i], key) >= number(lines[i - 1], key));
    CHECK(number(lines[i], "best_seconds") <= number(lines[i - 1], "best_seconds"));
  }
  CHECK(lines.back().starts_with("rank  scored="));
  CHECK(number(lines.back(), "kept") == 3);
}
