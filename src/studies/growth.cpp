// SPDX-License-Identifier: Apache-2.0
// Plans each problem some times and writes the medians.
#include "growth.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>

#include "computation.h"
#include "files.h"
#include "orders.h"
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

/// `machine` with `levels` caches.
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
  std::sort(milliseconds.begin(), milliseconds.end());
  timing.median_ms = milliseconds[milliseconds.size() / 2];
  timing.worst_ms = milliseconds.back();
  return timing;
}

std::string milliseconds_text(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.2f", value);
  return text.data();
}

/// "name" with quotes when a comma is in it.
std::string field(const std::string& text) {
  if (text.find(',') == std::string::npos) return text;
  std::string quoted = "\"";
  quoted.append(text).append("\"");
  return quoted;
}

class Study {
 public:
  Study(const Machine& machine, const GrowthOptions& options,
        const std::function<void(const std::string&)>& say)
      : machine_(machine), options_(options), say_(say) {}

  void growth() {
    text_ = head() + "operator,problem,loops,order_classes,levels,nodes,median_ms,worst_ms\n";
    for (const Operator& each : kOperators)
      for (int levels = kFewestLevels; levels <= kMostLevels; ++levels)
        add_growth(each, static_cast<std::size_t>(levels));
    write("growth.csv");
  }

  void layers() {
    text_ = head() + "layer,problem,nodes,gap,median_ms,worst_ms\n";
    for (const std::string& layer : options_.layers) {
      const Problem problem = parse_problem(layer);
      const Timing timing = timing_of(problem, machine_, options_.repeats);
      row({field(layer), to_string(problem), std::to_string(timing.certificate.nodes),
           std::to_string(timing.certificate.gap), milliseconds_text(timing.median_ms),
           milliseconds_text(timing.worst_ms)});
    }
    write("plan_time.csv");
  }

 private:
  std::string head() const {
    return "# tileplan study growth: time of a complete plan, all kernels, order classes and "
           "tiles, "
           "with its certificate, on one core\n# machine: " +
           machine_.name + "\n# program: " + options_.version + ", compiler " + __VERSION__ +
           "\n# repeats: " + std::to_string(options_.repeats) + "\n";
  }

  void add_growth(const Operator& each, std::size_t levels) {
    const Problem problem = parse_problem(each.problem);
    const Computation computation = computation_of(problem);
    const auto loops = std::count_if(computation.extents.begin(), computation.extents.end(),
                                     [](std::int64_t extent) { return extent > 1; });
    const Timing timing = timing_of(problem, with_levels(machine_, levels), options_.repeats);
    row({field(each.name), each.problem, std::to_string(loops),
         std::to_string(order_classes(computation).classes.size()), std::to_string(levels),
         std::to_string(timing.certificate.nodes), milliseconds_text(timing.median_ms),
         milliseconds_text(timing.worst_ms)});
  }

  void row(const std::vector<std::string>& fields) {
    std::string line;
    for (const std::string& each : fields) line.append(line.empty() ? "" : ",").append(each);
    say_(line + '\n');
    text_ += line + '\n';
  }

  void write(const char* name) const {
    const std::filesystem::path folder(options_.folder);
    std::filesystem::create_directories(folder);
    atomic_write((folder / name).string(), text_);
  }

  const Machine& machine_;
  const GrowthOptions& options_;
  const std::function<void(const std::string&)>& say_;
  std::string text_;
};

}  // namespace

void study_growth(const Machine& machine, const GrowthOptions& options,
                  const std::function<void(const std::string&)>& say) {
  if (options.repeats < 1)
    throw Error("study: repeats is " + std::to_string(options.repeats) + "; must be at least 1");
  if (machine.caches.size() + 1 < kMostLevels)
    throw Error("study: " + machine.name + " has " + std::to_string(machine.caches.size()) +
                " caches; must have at least three");
  Study study(machine, options, say);
  study.growth();
  study.layers();
}

}  // namespace tileplan
