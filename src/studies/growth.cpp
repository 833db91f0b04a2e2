// SPDX-License-Identifier: Apache-2.0
// Plans each problem several times and writes the medians.
#include <algorithm>
#include <array>

#include "computation.h"
#include "csv.h"
#include "orders.h"
#include "statistics.h"
#include "studies.h"
#include "text_table.h"
#include "tileplan/error.h"
#include "tileplan/plan.h"

namespace tileplan {
namespace {

constexpr int kFewestLevels = 2, kMostLevels = 4;

struct Operator {
  const char* name;
  const char* problem;
};
/// About 10^8 multiply-adds each; extents with many divisors.
constexpr std::array<Operator, 6> kOperators{{{"gemm", "m448n512k448"},
                                              {"batched gemm", "b8m224n256k224"},
                                              {"conv 1x1", "mb4ic128ih28oc256oh28kh1ph0"},
                                              {"conv, one image", "mb1ic128ih28oc128oh28kh3ph1"},
                                              {"conv", "mb4ic64ih28oc64oh28kh3ph1"},
                                              {"conv, groups", "g4mb4ic128ih28oc128oh28kh3ph1"}}};

/// Returns `machine` with `levels` caches.
Machine with_levels(Machine machine, std::size_t levels) {
  while (machine.caches.size() < levels) {
    CacheLevel next = machine.caches.back();
    next.name = std::string("L").append(std::to_string(machine.caches.size() + 1));
    next.capacity_bytes *= 4;
    next.fill_bytes_per_second /= 2;
    next.write_bytes_per_second /= 2;
    machine.caches.push_back(next);
  }
  machine.caches.resize(levels);
  return machine;
}

struct Timing {
  double median_ms = 0, worst_ms = 0;
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
  timing.median_ms = median(milliseconds);
  timing.worst_ms = *std::max_element(milliseconds.begin(), milliseconds.end());
  return timing;
}

class GrowthStudy {
 public:
  GrowthStudy(const Machine& machine, const StudyOptions& options, const Print& print)
      : machine_(machine), options_(options), folder_(options, print) {}

  void growth() {
    begin("operator,problem,loops,order_classes,levels,nodes,median_ms,worst_ms");
    for (const Operator& each : kOperators)
      for (int levels = kFewestLevels; levels <= kMostLevels; ++levels)
        add_growth(each, static_cast<std::size_t>(levels));
    folder_.write("growth.csv", table_);
  }

  void layers() {
    begin("layer,problem,nodes,gap,median_ms,worst_ms");
    for (const Problem& problem : options_.layers) {
      const Timing timing = timing_of(problem, machine_, options_.measurements);
      add({name_of(problem), to_string(problem), std::to_string(timing.certificate.nodes),
           std::to_string(timing.certificate.gap), decimals(timing.median_ms, 2),
           decimals(timing.worst_ms, 2)});
    }
    folder_.write("plan_time.csv", table_);
  }

 private:
  void begin(const std::string& columns) {
    table_ = study_facts("growth", machine_, options_.version) +
             "# time of a complete plan, all kernels, order classes and tiles, with its "
             "certificate, on one core; medians of " +
             std::to_string(options_.measurements) + " plans\n" + columns + '\n';
  }

  void add_growth(const Operator& each, std::size_t levels) {
    const Problem problem = parse_problem(each.problem);
    const Computation computation = computation_of(problem);
    const auto loops = std::count_if(computation.extents.begin(), computation.extents.end(),
                                     [](std::int64_t extent) { return extent > 1; });
    const Timing timing = timing_of(problem, with_levels(machine_, levels), options_.measurements);
    add({each.name, each.problem, std::to_string(loops),
         std::to_string(order_classes(computation).classes.size()), std::to_string(levels),
         std::to_string(timing.certificate.nodes), decimals(timing.median_ms, 2),
         decimals(timing.worst_ms, 2)});
  }

  void add(const CsvFields& fields) {
    folder_.say(csv_line(fields));
    table_ += csv_line(fields);
  }

  const Machine& machine_;
  const StudyOptions& options_;
  StudyFolder folder_;
  std::string table_;
};

}  // namespace

void study_growth(const Machine& machine, const StudyOptions& options, const Print& print) {
  require_sense(options);
  if (machine.caches.size() + 1 < kMostLevels)
    throw Error("study: " + machine.name + " has " + std::to_string(machine.caches.size()) +
                " caches; must have at least three");
  GrowthStudy study(machine, options, print);
  study.growth();
  study.layers();
}

}  // namespace tileplan
