// SPDX-License-Identifier: Apache-2.0
// This file plans each problem several times and writes the median and the longest planning times.
#include <algorithm>

#include "orders.h"
#include "statistics.h"
#include "studies.h"
#include "text_table.h"
#include "tileplan/error.h"
#include "tileplan/plan.h"
#include "tileplan/verify.h"

namespace tileplan {
namespace {

constexpr int kFewestLevels = 2, kMostLevels = 4;

struct Operator {
  const char* name;
  const char* problem;
};
/// Each operator has about 10^8 multiply-adds, and extents with many divisors.
constexpr Operator kOperators[]{{"gemm", "m448n512k448"},
                                {"batched gemm", "b8m224n256k224"},
                                {"conv 1x1", "mb4ic128ih28oc256oh28kh1ph0"},
                                {"conv, one image", "mb1ic128ih28oc128oh28kh3ph1"},
                                {"conv", "mb4ic64ih28oc64oh28kh3ph1"},
                                {"conv, groups", "g4mb4ic128ih28oc128oh28kh3ph1"}};

Machine with_levels(Machine machine, std::size_t levels) {
  while (machine.caches.size() < levels) {
    CacheLevel next = machine.caches.back();
    next.name = joined('L', machine.caches.size() + 1);
    next.capacity_bytes *= 4;
    next.fill_bytes_per_second /= 2;
    next.write_bytes_per_second /= 2;
    next.conflict_bytes_per_second /= 2;
    machine.caches.push_back(next);
  }
  machine.caches.resize(levels);
  return machine;
}

struct Timing {
  std::string median_ms, worst_ms;
  Certificate certificate;
};

Timing timing_of(const Problem& problem, const Machine& machine, int repeats) {
  std::vector<double> milliseconds;
  Timing timing;
  for (int i = 0; i < repeats; ++i) {
    const Plan result = plan(problem, machine);
    milliseconds.push_back(1e3 * result.plan_seconds);
    timing.certificate = result.certificate;
  }
  timing.median_ms = decimals(median(milliseconds), 2);
  timing.worst_ms = decimals(std::ranges::max(milliseconds), 2);
  return timing;
}

std::string head_of(const Machine& machine, const StudyOptions& options,
                    const std::string& columns) {
  return joined(study_facts("growth", machine, options.version),
                "# time of a complete plan, all kernels, order classes and tiles, with its "
                "certificate, on one core; medians of ",
                options.measurements, " plans\n", columns, '\n');
}

std::string growth_line(const Operator& each, const Machine& machine, int repeats) {
  const Problem problem = parse_problem(each.problem);
  const Computation computation = computation_of(problem);
  const auto loops =
      std::ranges::count_if(computation.extents, [](std::int64_t extent) { return extent > 1; });
  const Timing timing = timing_of(problem, machine, repeats);
  return csv_line(fields_of(each.name, each.problem, loops,
                            order_classes(computation).classes.size(), machine.caches.size(),
                            timing.certificate.nodes, timing.median_ms, timing.worst_ms));
}

std::string layer_line(const Problem& problem, const Machine& machine, int repeats) {
  const Timing timing = timing_of(problem, machine, repeats);
  return csv_line(fields_of(name_of(problem), to_string(problem), timing.certificate.nodes,
                            std::to_string(timing.certificate.gap), timing.median_ms,
                            timing.worst_ms));
}

}  // namespace

void study_growth(const Machine& machine, const StudyOptions& options, const Print& print) {
  require_sense(options);
  if (machine.caches.size() + 1 < kMostLevels)
    throw Error(joined("study: ", machine.name, " has ", machine.caches.size(),
                       " caches; must have at least three"));
  StudyFolder folder(options, print);
  std::string growth = head_of(
      machine, options, "operator,problem,loops,order_classes,levels,nodes,median_ms,worst_ms");
  std::string layers = head_of(machine, options, "layer,problem,nodes,gap,median_ms,worst_ms");
  const std::size_t levels_each = kMostLevels - kFewestLevels + 1;
  const std::size_t all = std::size(kOperators) * levels_each + options.layers.size();
  std::size_t done = 0;
  const auto add = [&](std::string& table, const std::string& line) {
    folder.say(line);
    table += line;
    folder.show(++done, all);
  };
  // On a stop, the incomplete table is not written, so that the complete table of an earlier run is
  // kept.
  for (const Operator& each : kOperators)
    for (int levels = kFewestLevels; levels <= kMostLevels; ++levels) {
      if (stop_requested()) return;
      add(growth, growth_line(each, with_levels(machine, static_cast<std::size_t>(levels)),
                              options.measurements));
    }
  folder.write("growth.csv", growth);
  for (const Problem& problem : options.layers) {
    if (stop_requested()) return;
    add(layers, layer_line(problem, machine, options.measurements));
  }
  folder.write("plan_time.csv", layers);
}

}  // namespace tileplan
