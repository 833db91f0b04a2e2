// SPDX-License-Identifier: Apache-2.0
// Single-level programs are solved first, because they prune the programs of all levels.
#include "programs.h"

#include <algorithm>
#include <cmath>

#include "capacity.h"
#include "cost.h"
#include "link.h"

namespace tileplan {
namespace {

/// Lowers each optimum by the tolerance of the solver, so that the result remains a bound.
constexpr double kSolverTolerance = 1e-6;
/// Counts the sizes that a filter dimension may have at one level: 1, its extent, or a range
/// between both.
constexpr int kSizes = 3;
/// Limits the listed programs, which take some 20 MB. If there are more, only single-level bounds
/// are used.
constexpr std::size_t kMostListed = 200000;
/// Limits the programs that are solved, each in some milliseconds.
constexpr int kMostPrograms = 4000;

/// Returns the number of nondecreasing sequences of `levels` numbers out of `values`.
double chains(int values, std::size_t levels) {
  double count = 1;
  for (std::size_t l = 1; l <= levels; ++l)
    count *= static_cast<double>(values - 1 + static_cast<int>(l)) / static_cast<double>(l);
  return count;
}

}  // namespace

Programs::Programs(const Computation& computation, const OrderClasses& classes,
                   const Machine& machine, CapacityRule rule)
    : computation_(computation), classes_(classes), machine_(machine), rule_(rule) {
  const auto whole = static_cast<double>(
      required(computation, extents_of(computation), std::nullopt, CapacityRule::ideal));
  for (std::size_t l = 0; l < machine.caches.size(); ++l)
    if (machine.caches[l].fill_bytes_per_second > 0 &&
        usable_units(machine.caches[l], computation.unit_bytes()) < whole)
      levels_.push_back(l);
  for (const TensorAccess& tensor : computation_.tensors)
    for (const DataDim& data : tensor.data) add_given(data);
  std::ranges::sort(given_);
  given_.erase(std::unique(given_.begin(), given_.end()), given_.end());
  for (std::size_t i = 0; i < given_.size(); ++i) choices_ *= kSizes;
}

/// Chooses the reduction dimensions of the index `data` whose sizes are given instead of variables.
/// The dimensions of the output stay variable or, if there are none, the longest reduction.
void Programs::add_given(const DataDim& data) {
  const auto is_reduction = [&](Dim dim) { return computation_.role(dim) == Role::reduction; };
  const auto key = [&](Dim dim) { return std::pair(!is_reduction(dim), computation_.extent(dim)); };
  std::vector<Dim> dims;
  for (const Term& term : data.terms)
    if (computation_.extent(term.dim) > 1) dims.push_back(term.dim);
  std::ranges::sort(dims, std::ranges::greater{}, key);
  for (std::size_t i = 1; i < dims.size(); ++i)
    if (is_reduction(dims[i])) given_.push_back(dims[i]);
}

/// Returns the ranges of sizes of choice number `choice`. Its digits in base kSizes select the size
/// of each given dimension. A dimension of extent 2 has no sizes between 1 and its extent, so
/// nests() excludes the choice of this range.
PerDim<Span> Programs::spans_of(int choice) const {
  PerDim<Span> spans;
  for (const Dim dim : given_) {
    const auto extent = static_cast<double>(computation_.extent(dim));
    const int size = choice % kSizes;
    choice /= kSizes;
    if (size == 0) spans[dim] = {1, 1};
    if (size == 1 && extent > 2) spans[dim] = {2, extent - 1};
    if (size == 2) spans[dim] = {extent, extent};
  }
  return spans;
}

/// Returns true when all sizes of choice `inner` exist and fit inside those of choice `outer`.
bool Programs::nests(int inner, int outer) const {
  for (std::size_t i = 0; i < given_.size(); ++i) {
    const bool exists = inner % kSizes != 1 || computation_.extent(given_[i]) > 2;
    if (!exists || inner % kSizes > outer % kSizes) return false;
    inner /= kSizes;
    outer /= kSizes;
  }
  return true;
}

RelaxProblem Programs::problem_of(const Tile& base) const {
  RelaxProblem problem;
  for (int d = 0; d < computation_.dims(); ++d)
    problem.base[Dim{d}] = static_cast<double>(std::min(base[Dim{d}], computation_.extent(Dim{d})));
  problem.rule = rule_;
  problem.form = WindowForm::below;
  for (const std::size_t at : levels_) {
    const CacheLevel& cache = machine_.caches[at];
    problem.levels.push_back(
        {.capacity = usable_units(cache, computation_.unit_bytes()),
         .bandwidth = cache.fill_bytes_per_second / static_cast<double>(computation_.unit_bytes()),
         .write_cost = write_cost(cache)});
  }
  return problem;
}

double Programs::combined(double compute, double movement) const {
  return overlap_times(compute, {movement}, machine_.rates.overlap_exponent);
}

std::optional<double> Programs::solve(const RelaxProblem& problem) const {
  const Relaxed relaxed = relax(computation_, problem);
  if (!relaxed.solved) return std::nullopt;
  return relaxed.seconds * (1 - kSolverTolerance);
}

std::optional<double> Programs::tuple_seconds(const KernelCombo& kernels,
                                              const std::vector<int>& classes) const {
  if (levels_.empty()) return kernels.compute_seconds;
  RelaxProblem problem = problem_of(kernels.base);
  PerDim<Span> all;
  for (const Dim dim : given_) all[dim] = {1, static_cast<double>(computation_.extent(dim))};
  problem.spans.assign(levels_.size(), all);
  for (const std::size_t at : levels_)
    problem.orders.push_back(classes_.classes[static_cast<std::size_t>(classes[at])].order);
  const std::optional<double> movement = solve(problem);
  if (!movement) return std::nullopt;
  return combined(kernels.compute_seconds, *movement);
}

void Programs::solve_levels() {
  if (!single_.empty() || levels_.empty()) return;
  Tile ones{};
  for (int d = 0; d < computation_.dims(); ++d) ones[Dim{d}] = 1;
  RelaxProblem all = problem_of(ones);
  all.rule = CapacityRule::ideal;
  const auto bound = [&](const RelaxLevel& level, const OrderClass& order_class, int choice) {
    if (!nests(choice, choice)) return 0.0;
    RelaxProblem problem = all;
    problem.levels = {level};
    problem.orders = {order_class.order};
    problem.spans = {spans_of(choice)};
    return solve(problem).value_or(0);
  };
  for (const RelaxLevel& level : all.levels)
    for (const OrderClass& order_class : classes_.classes)
      for (int choice = 0; choice < choices_; ++choice)
        single_.push_back(bound(level, order_class, choice));
}

double Programs::single(std::size_t l, int order_class, int choice) const {
  const std::size_t classes = classes_.classes.size();
  return single_[(l * classes + static_cast<std::size_t>(order_class)) *
                     static_cast<std::size_t>(choices_) +
                 static_cast<std::size_t>(choice)];
}

std::vector<double> Programs::level_seconds() {
  solve_levels();
  std::vector<double> seconds(machine_.caches.size(), 0);
  for (std::size_t l = 0; l < levels_.size(); ++l) {
    double least = HUGE_VAL;
    for (int c = 0; c < static_cast<int>(classes_.classes.size()); ++c)
      for (int choice = 0; choice < choices_; ++choice)
        if (nests(choice, choice)) least = std::min(least, single(l, c, choice));
    seconds[levels_[l]] = least;
  }
  return seconds;
}

/// Appends the programs whose `movement` stays below `limit`, but stops when there are more than
/// kMostListed. The choices of the levels from `l` outwards are made, and `program.movement`
/// combines their bounds.
void Programs::enumerate(std::size_t l, Program& program, double limit,
                         std::vector<Program>& programs) const {
  if (programs.size() > kMostListed) return;
  if (l == 0) {
    programs.push_back(program);
    return;
  }
  const double above = program.movement;
  for (int choice = 0; choice < choices_; ++choice) {
    const bool outermost = l == levels_.size();
    if (!nests(choice, outermost ? choice : program.sizes[l])) continue;
    program.sizes[l - 1] = choice;
    for (int c = 0; c < static_cast<int>(classes_.classes.size()); ++c) {
      program.classes[l - 1] = c;
      program.movement = combined(above, single(l - 1, c, choice));
      if (program.movement < limit) enumerate(l - 1, program, limit, programs);
    }
  }
  program.movement = above;
}

std::optional<double> Programs::solve(const Program& program, const KernelCombo& kernels) const {
  if (levels_.empty()) return kernels.compute_seconds;
  RelaxProblem problem = problem_of(kernels.base);
  for (std::size_t l = 0; l < levels_.size(); ++l) {
    problem.spans.push_back(spans_of(program.sizes[l]));
    problem.orders.push_back(classes_.classes[static_cast<std::size_t>(program.classes[l])].order);
  }
  const std::optional<double> movement = solve(problem);
  if (!movement) return std::nullopt;
  return combined(kernels.compute_seconds, std::max(program.movement, *movement));
}

PerLevelProof Programs::least(const std::vector<KernelCombo>& kernels, double optimum) {
  solve_levels();
  PerLevelProof proof{.optimum = optimum, .bound = optimum};
  std::vector<Program> programs;
  Program first{std::vector<int>(levels_.size()), std::vector<int>(levels_.size()), 0};
  enumerate(levels_.size(), first, optimum, programs);
  const bool listed = programs.size() <= kMostListed;
  if (!listed)
    programs = {{{}, {}, overlap_times(0, level_seconds(), machine_.rates.overlap_exponent)}};
  std::ranges::sort(programs, {}, &Program::movement);
  for (const KernelCombo& each : kernels)
    for (const Program& program : programs) {
      const double low = combined(each.compute_seconds, program.movement);
      if (low >= proof.bound) break;
      const bool open = proof.solved + proof.unsolved < kMostPrograms && listed;
      const std::optional<double> found = open ? solve(program, each) : std::nullopt;
      ++(found ? proof.solved : proof.unsolved);
      proof.bound = std::min(proof.bound, found.value_or(low));
    }
  proof.pruned = count(kernels.size()) - proof.solved - proof.unsolved;
  return proof;
}

/// Returns the number of programs of `kernels` combinations: all order classes times nondecreasing
/// filter sizes per level.
std::int64_t Programs::count(std::size_t kernels) const {
  auto all = static_cast<double>(kernels);
  for (std::size_t l = 0; l < levels_.size(); ++l)
    all *= static_cast<double>(classes_.classes.size());
  for (const Dim dim : given_)
    all *= chains(computation_.extent(dim) > 2 ? kSizes : kSizes - 1, levels_.size());
  return static_cast<std::int64_t>(all);
}

}  // namespace tileplan
