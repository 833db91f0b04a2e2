// SPDX-License-Identifier: Apache-2.0
// This file draws schedules for run.sh, emits them as C, and predicts the cache lines that two
// caches load.
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "cost.h"
#include "footprint.h"
#include "kernels.h"
#include "nest.h"
#include "order_class_at.h"
#include "random_sample.h"
#include "target.h"
#include "tileplan/emit.h"
#include "tileplan/error.h"
#include "winograd_cost.h"

using namespace tileplan;

namespace {

constexpr std::int64_t kLineBytes = 64;
// Each of the three classes of loop orders of a product is drawn twice. Convolutions have up to
// eight classes, which take turns across the layers.
constexpr int kSchedulesPerLayer = 6;
// A class is skipped if none of this many drawn schedules belongs to it.
constexpr int kMostDraws = 20000;
constexpr Target kTarget = Target::avx2;  // valgrind cannot run AVX-512, so the C code uses AVX2.

struct Sizes {
  std::int64_t d1 = 0, ll = 0;  // Both sizes are in bytes.
  int d1_ways = 0, ll_ways = 0;
};

/// Counts the cache levels that cachegrind simulates.
constexpr std::size_t kSimulated = 2;

struct Case {
  std::string layer;
  Problem problem;
  Schedule schedule;
};

Machine machine_with(const Sizes& sizes) {
  // Reading a byte takes 1 s. A store takes no longer than its read for ownership, so that
  // predicted seconds equal bytes read.
  const auto cache = [&](const char* name, std::int64_t bytes, int ways) {
    CacheLevel level;
    level.name = name;
    level.capacity_bytes = bytes;
    level.line_bytes = kLineBytes;
    level.ways = ways;
    level.usable = 1;
    level.fill_bytes_per_second = 1;
    level.write_bytes_per_second = 1;
    return level;
  };
  Machine machine;
  machine.name = "cachegrind";
  machine.clock.hertz = 1;
  // Short rows take longer on real machines, but load no more lines.
  machine.rates.overheads.short_rows = {1, 1, 1};
  machine.vector.isa = Isa::avx2;
  machine.vector.lanes = lanes_of(kTarget);
  machine.vector.registers = 16;
  // Predictions take a mean over several occupancies of the last cache, because other programs use
  // it too. A third cache takes this role, so that D1 and LL are used whole.
  machine.caches = {cache("D1", sizes.d1, sizes.d1_ways), cache("LL", sizes.ll, sizes.ll_ways),
                    cache("last", std::int64_t{1} << 40, sizes.ll_ways)};
  return machine;
}

std::vector<std::string> fields_of(const std::string& line) {
  std::vector<std::string> fields;
  std::istringstream stream(line);
  for (std::string field; std::getline(stream, field, ';');) fields.push_back(field);
  return fields;
}

std::vector<Case> read_cases(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw Error(path + ": cannot be read");
  std::vector<Case> cases;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line.front() == '#') continue;
    const std::vector<std::string> fields = fields_of(line);
    if (fields.size() != 3) throw Error("'" + line + "'; must be layer;problem;schedule");
    cases.push_back({fields[0], parse_problem(fields[1]), parse_schedule(fields[2])});
  }
  return cases;
}

/// Returns compiler flags with the sizes of the buffers of the C program, in floats. `loops` is the
/// computation whose iterations `nest` executes: the products of a Winograd schedule, and otherwise
/// `computation`.
std::string size_flags(const Computation& computation, const Computation& loops,
                       const Schedule& schedule, const Nest& nest) {
  const auto floats = [&](Operand operand, Layout layout) {
    return std::to_string(layout_of(computation, operand, layout).elements);
  };
  return "-DINPUT=" + floats(Operand::input, schedule.in) +
         " -DWEIGHTS=" + floats(Operand::weights, Layout::plain) +
         " -DPACKED=" + std::to_string(footprint(loops.tensors[1], box_inside(nest, 0))) +
         " -DOUTPUT=" + floats(Operand::output, schedule.out);
}

/// Returns the number of cache lines that each cache of `machine` loads.
std::vector<double> predicted_lines(const Problem& problem, const Schedule& schedule,
                                    const Machine& machine) {
  std::vector<double> lines;
  if (schedule.winograd) {
    lines =
        winograd_loads(winograd_problem(problem, *schedule.winograd, machine), schedule, machine);
  } else {
    for (const LevelPrediction& level : predict_schedule(problem, schedule, machine).levels)
      lines.push_back(level.seconds);
  }
  for (double& each : lines) each /= kLineBytes;
  return lines;
}

/// Prints one line per case: number;layer;problem;schedule;compiler flags;order class at D1;cache
/// lines into D1;order class at LL;cache lines into LL. D1 and LL are the two cache levels that
/// cachegrind simulates. Both classes of a Winograd schedule are "winograd". Writes the C code to
/// FOLDER/NUMBER.c.
void write_cases(const std::vector<Case>& cases, const std::string& folder, const Sizes& sizes) {
  const Machine machine = machine_with(sizes);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const auto& [layer, problem, schedule] = cases[i];
    const Computation computation = computation_of(problem);
    std::ofstream(folder + "/" + std::to_string(i) + ".c")
        << emit_c(computation.problem, schedule, {.target = kTarget, .name = "tileplan"}).source;
    const std::vector<double> lines = predicted_lines(problem, schedule, machine);
    const Computation loops = computation_in_loops(problem, schedule, machine.vector);
    const Nest nest = resolve(schedule, loops, lanes_of(kTarget));
    std::cout << i << ';' << layer << ';' << to_string(problem) << ';' << to_string(schedule) << ';'
              << size_flags(computation, loops, schedule, nest);
    for (std::size_t level = 0; level < kSimulated; ++level)
      std::cout << ';'
                << (schedule.winograd ? "winograd"
                                      : order_class_at(computation, nest, machine.caches[level]))
                << ';' << lines[level];
    std::cout << '\n';
  }
}

/// Returns the order class of the loops outside the tile that D1 holds, or "" when a loop inside a
/// list of blocks (lambda) does not divide its blocks.
std::string class_at_d1(const Computation& computation, const Schedule& schedule,
                        const Machine& machine) {
  try {
    const Nest nest = resolve(schedule, computation, machine.vector.lanes);
    return order_class_at(computation, nest, machine.caches.front());
  } catch (const Error&) {
    return "";
  }
}

/// Draws random schedules for each layer and prints them. The order classes at D1 take turns.
void draw_cases(const std::vector<Case>& layers, const Sizes& sizes, unsigned seed) {
  std::mt19937 random(seed);
  const Machine machine = machine_with(sizes);
  std::size_t turn = 0;
  for (const Case& layer : layers) {
    const Computation computation = computation_of(layer.problem);
    const std::vector<KernelCombo> combos = kernel_combos(computation, machine, 40);
    const std::vector<OrderClass> classes = order_classes(computation).classes;
    for (int i = 0; i < kSchedulesPerLayer; ++i, ++turn) {
      const std::string& wanted = classes[turn % classes.size()].name;
      for (int draw = 0; draw < kMostDraws; ++draw) {
        Schedule schedule = random_schedule(computation, combos, machine.vector.lanes, random);
        schedule.in = layer.schedule.in;
        schedule.out = layer.schedule.out;
        if (class_at_d1(computation, schedule, machine) != wanted) continue;
        std::cout << layer.layer << ';' << to_string(layer.problem) << ';' << to_string(schedule)
                  << '\n';
        break;
      }
    }
  }
}

std::int64_t number(const char* text) { return std::strtoll(text, nullptr, 10); }

int usage() {
  std::cerr << "usage: cachegrind_case write CASES FOLDER D1_BYTES D1_WAYS LL_BYTES LL_WAYS\n"
               "       cachegrind_case draw LAYERS SEED D1_BYTES D1_WAYS LL_BYTES LL_WAYS\n";
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 8) return usage();
  const std::string verb = argv[1];
  const Sizes sizes{.d1 = number(argv[4]),
                    .ll = number(argv[6]),
                    .d1_ways = static_cast<int>(number(argv[5])),
                    .ll_ways = static_cast<int>(number(argv[7]))};
  try {
    const std::vector<Case> cases = read_cases(argv[2]);
    if (verb == "write") {
      write_cases(cases, argv[3], sizes);
    } else if (verb == "draw") {
      draw_cases(cases, sizes, static_cast<unsigned>(number(argv[3])));
    } else {
      return usage();
    }
  } catch (const Error& error) {
    std::cerr << "cachegrind_case: " << error.what() << '\n';
    return 2;
  }
  return 0;
}
