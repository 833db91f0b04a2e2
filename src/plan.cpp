// SPDX-License-Identifier: Apache-2.0
// The pipeline, nothing else: problem -> computation -> kernels x orders x tiles -> ranked
// schedules -> measured.
#include "tileplan/plan.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <utility>

#include "certificate.h"
#include "computation.h"
#include "concrete.h"
#include "cost.h"
#include "cross_check.h"
#include "exact.h"
#include "kernels.h"
#include "merged.h"
#include "orders.h"
#include "rank.h"
#include "reduction.h"
#include "tileplan/error.h"
#include "tileplan/verify.h"
#include "units.h"

namespace tileplan {

namespace {

/// Kernel combinations whose near-optimal schedules become candidates too, best compute first. The
/// others are searched for the optimum alone.
constexpr int kCombos = 24;
/// Of these the first keep many near-optimal schedules, the others few, which halves the time.
constexpr std::size_t kWide = 10;
constexpr SearchOptions kNarrow{.slack = 0.06, .keep = 3};
/// Tiles that all searches together may visit, each some 10 us. Layers of the papers' tables need
/// up to 3000; a search that is cut says so in the certificate.
constexpr std::int64_t kNodes = 8000;
/// Most that one of the combinations still to come takes, in even shares of what is left.
constexpr std::int64_t kShares = 4;

/// What each kernel combination with vectors of pixels may visit.
constexpr SearchOptions kPixels{.slack = 0.1, .keep = 4, .most_nodes = 200};

/// Kernel combinations whose cache tiles are also split unevenly, best first, and what each may
/// visit: a tenth of a plan's time.
constexpr std::size_t kSplit = 2;
constexpr SearchOptions kUneven{.slack = 0, .keep = 3, .most_nodes = 200, .splits = Splits::uneven};

/// Combinations of two sizes along each of two dims must compute in this share of the least time
/// that others take.
constexpr double kWorthGrid = 0.98;

/// Narrow vectors must compute in this share of the least time that wide ones take: beside a busy
/// sibling thread they lose 10 to 20 %, wide ones 2 to 5 (Zen 4, 2026-11-22).
constexpr double kWorthNarrow = 0.9;

/// Two per point of the domain.
double flops_of(const Computation& computation) {
  double points = 1;
  for (const std::int64_t extent : computation.extents) points *= static_cast<double>(extent);
  return 2 * points;
}

/// Options that a caller may get wrong.
void check_options(const Options& options, const Machine& machine) {
  const auto refuse = [](const char* name, const std::string& value, const std::string& rule) {
    throw Error(std::string("options: ") + name + " is " + value + "; must be " + rule);
  };
  if (options.top < 1) refuse("top", std::to_string(options.top), "at least 1");
  if (options.verify < 0) refuse("verify", std::to_string(options.verify), "at least 0");
  if (options.threads < 1 || options.threads > std::max(machine.cores, 1))
    refuse("threads", std::to_string(options.threads),
           "between 1 and the " + std::to_string(machine.cores) + " cores of " + machine.name);
  if (!(options.budget_seconds > 0) || std::isinf(options.budget_seconds))
    refuse("budget_seconds", std::to_string(options.budget_seconds), "positive and finite");
}

/// What every machine must have; files are checked when they are read.
void check_machine(const Machine& machine) {
  if (machine.caches.empty())
    throw Error("machine: " + machine.name + " has no caches; must have one");
  if (machine.vector.lanes < 1 || machine.vector.registers < 4 || machine.hertz <= 0)
    throw Error("machine: " + machine.name + " has " + std::to_string(machine.vector.lanes) +
                " lanes, " + std::to_string(machine.vector.registers) +
                " registers and a clock of " + std::to_string(machine.hertz) +
                " Hz; must have 1, 4 and more than 0");
}

/// `machine` with the cores that `options` lets a schedule use.
Machine used_part(Machine machine, const Options& options) {
  machine.cores = options.threads;
  return machine;
}

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// What is known while kernels are searched one after the other.
struct Progress {
  Candidates candidates;
  SearchRecord record;
  std::vector<KernelCombo> kernels;  ///< searched so far
  /// Least of one core in any calls tried, vectors of pixels too, of steps that read the array.
  double compute_seconds = std::numeric_limits<double>::infinity();

  void note_compute(const Computation& computation, const KernelCombo& tried) {
    const double share = array_share(computation, tried.vectorised);
    compute_seconds = std::min(compute_seconds, share * tried.compute_seconds);
  }
};

/// Searches `kernels`, of which `left` more follow, and scores what was found.
void search(Progress& progress, const SearchContext& context, const std::vector<Layouts>& layouts,
            std::size_t left, SearchOptions limits) {
  const std::int64_t nodes = std::max<std::int64_t>(0, kNodes - progress.record.nodes());
  limits.most_nodes = std::min(nodes, kShares * nodes / static_cast<std::int64_t>(left + 1) + 1);
  limits.incumbent = progress.record.optimum();
  limits.rule.kind = context.options.capacity;
  const SearchResult found =
      exact_search(context.computation, context.kernels, context.classes, context.machine, limits);
  progress.record.add(context.kernels, found);
  progress.kernels.push_back(context.kernels);
  progress.note_compute(context.computation, context.kernels);
  append_concrete(progress.candidates, context, found, layouts);
}

/// Every kernel that covers the problem: a diverse few with what is close to their optima, then
/// those that could still hold the optimum.
Progress search_kernels(const Computation& computation, const OrderClasses& classes,
                        const Machine& machine, const Options& options) {
  const std::vector<Layouts> layouts = layouts_of(computation, options.layout, machine.vector);
  Progress progress;
  const std::vector<KernelCombo> few = kernel_combos(computation, machine, kCombos);
  for (std::size_t i = 0; i < few.size(); ++i)
    search(progress, {computation, few[i], classes, machine, options}, layouts, few.size() - i - 1,
           i < kWide ? SearchOptions{} : kNarrow);
  KernelSpace space = kernels_below(computation, machine, progress.record.optimum(),
                                    vectorised_dim(computation, machine.vector.lanes));
  std::erase_if(space.below, [&](const KernelCombo& each) {
    return std::any_of(few.begin(), few.end(), [&](const KernelCombo& other) {
      return other.base == each.base && other.compute_seconds <= each.compute_seconds;
    });
  });
  for (std::size_t i = 0; i < space.below.size(); ++i)
    search(progress, {computation, space.below[i], classes, machine, options}, layouts,
           space.below.size() - i - 1, {.slack = 0, .keep = 1});
  progress.record.set_all_kernels(space.all);
  return progress;
}

/// Kernels with vectors of pixels, whose schedules compete with those found. The band model knows
/// nothing of the boxes that they need: they are no part of the record.
void search_pixel_vectors(Progress& progress, const Computation& computation,
                          const OrderClasses& classes, const Machine& machine,
                          const Options& options) {
  std::vector<Dim> dims = vectorised_dims(computation, machine.vector.lanes);
  dims.erase(dims.begin());  // searched already
  for (const Dim vectorised : dims) {
    const std::vector<Layouts> layouts =
        layouts_of(computation, options.layout, machine.vector, vectorised);
    if (layouts.empty()) continue;
    SearchOptions limits = kPixels;
    limits.rule.kind = options.capacity;
    // The band model counts all steps on one core, predictions only those that read the array, on
    // all cores.
    const double share = array_share(computation, vectorised);
    for (const KernelCombo& kernels :
         kernel_combos(computation, machine, static_cast<int>(kWide), vectorised)) {
      limits.incumbent = progress.candidates.seconds * machine.cores / share;
      const SearchResult found = exact_search(computation, kernels, classes, machine, limits);
      append_concrete(progress.candidates, {computation, kernels, classes, machine, options}, found,
                      layouts);
      progress.note_compute(computation, kernels);
    }
  }
}

/// Combinations of two sizes along each of two dims, where their calls take less than all others:
/// without cache tiles, which blocks of whole extents do not leave room for.
void search_grids(Progress& progress, const Computation& computation, const OrderClasses& classes,
                  const Machine& machine, const Options& options) {
  for (const Dim dim : vectorised_dims(computation, machine.vector.lanes)) {
    const std::vector<Layouts> layouts =
        layouts_of(computation, options.layout, machine.vector, dim);
    if (layouts.empty()) continue;
    const double below = kWorthGrid * progress.compute_seconds / array_share(computation, dim);
    for (const KernelCombo& kernels : grid_combos(computation, machine, below, dim))
      append_untiled(progress.candidates, {computation, kernels, classes, machine, options},
                     layouts);
  }
}

/// The kernels of the best schedules again, their cache tiles split unevenly.
void search_uneven(Progress& progress, const Computation& computation, const OrderClasses& classes,
                   const Machine& machine, const Options& options) {
  std::vector<KernelCombo> best;
  for (const SearchRecord::Entry& entry : progress.record.best()) {
    if (best.size() == kSplit) break;
    if (std::find(best.begin(), best.end(), entry.kernels) == best.end())
      best.push_back(entry.kernels);
  }
  SearchOptions limits = kUneven;
  limits.rule.kind = options.capacity;
  for (const KernelCombo& kernels : best) {
    if (!has_uneven_splits(computation, kernels, machine.vector.lanes)) continue;
    limits.incumbent = progress.record.optimum();
    const SearchResult found = exact_search(computation, kernels, classes, machine, limits);
    progress.record.add_uneven(kernels, found);
    append_uneven(progress.candidates, {computation, kernels, classes, machine, options}, found,
                  layouts_of(computation, options.layout, machine.vector));
  }
}

/// All searches at one width of vectors.
Progress search_all(const Computation& computation, const OrderClasses& classes,
                    const Machine& machine, const Options& options) {
  Progress found = search_kernels(computation, classes, machine, options);
  search_uneven(found, computation, classes, machine, options);
  search_pixel_vectors(found, computation, classes, machine, options);
  search_grids(found, computation, classes, machine, options);
  return found;
}

/// Seconds of one core in the fastest calls that cover the problem with vectors along `dim`.
double fastest_calls(const Computation& computation, const Machine& machine, Dim dim) {
  double fastest = std::numeric_limits<double>::infinity();
  for (const KernelCombo& kernels : kernel_combos(computation, machine, 1, dim))
    fastest = std::min(fastest, array_share(computation, dim) * kernels.compute_seconds);
  return fastest;
}

/// Whether calls with vectors of `narrow` may beat all that was found, and those with wide ones
/// along the same dim.
bool may_be_faster(const Machine& narrow, const Progress& found, const Computation& computation,
                   const Machine& machine) {
  std::pair<double, Dim> best{std::numeric_limits<double>::infinity(), Dim{}};
  for (const Dim dim : vectorised_dims(computation, narrow.vector.lanes))
    if (const double seconds = fastest_calls(computation, narrow, dim); seconds < best.first)
      best = {seconds, dim};
  return best.first <= kWorthNarrow * found.candidates.seconds * machine.cores &&
         best.first <= kWorthNarrow * fastest_calls(computation, machine, best.second);
}

/// The narrow unit of `machine`, whose schedules compete with those found. False where it cannot be
/// faster, or only the rates of one unit were measured.
bool search_narrow(Progress& progress, const Computation& computation, const OrderClasses& classes,
                   const Machine& machine, const Options& options) {
  if (!machine.narrow || machine.narrow->kernels.empty() != machine.kernels.empty()) return false;
  const Machine narrow = narrowed(machine);
  if (!has_layouts(computation, options.layout, narrow.vector) ||
      !may_be_faster(narrow, progress, computation, machine))
    return false;
  Progress found = search_all(computation, classes, narrow, options);
  for (Candidate& each : found.candidates.ranked) {
    each.schedule.isa = narrow.vector.isa;
    progress.candidates.add(std::move(each));
  }
  return true;
}

}  // namespace

Plan plan(const Problem& problem, const Machine& given, const Options& options) {
  const auto start = std::chrono::steady_clock::now();
  validate(problem);
  check_machine(given);
  const Machine machine = machine_for(given, type_of(problem));
  check_options(options, machine);
  Machine used = used_part(machine, options);
  const Computation computation = merged(computation_of(problem));
  cross_check_footprints(computation);
  const OrderClasses classes = order_classes(computation);
  Progress found = search_all(computation, classes, used, options);
  // Bounds are of the units that were searched.
  if (!search_narrow(found, computation, classes, used, options)) used.narrow.reset();
  const Candidates& candidates = found.candidates;
  Plan result;
  result.problem = problem;
  result.machine = machine;
  result.options = options;
  result.flops = flops_of(computation);
  result.certificate = certify(
      {computation, classes, used, options, found.record, found.kernels, candidates.ranked});
  result.candidates = best_first(candidates.ranked, std::max(options.top, options.verify));
  for (Candidate& each : result.candidates)
    each.prediction.bound_bytes = bound_bytes(computation, machine);
  result.rejected = candidates.rejected_reasons();
  result.plan_seconds = seconds_since(start);
  if (result.candidates.empty()) throw Error(candidates.why_empty(problem));
  return options.verify > 0 ? verify(std::move(result)) : result;
}

Plan plan_of(const Problem& problem, const Machine& given, const Schedule& schedule,
             const Options& options) {
  const auto start = std::chrono::steady_clock::now();
  validate(problem);
  check_machine(given);
  const Machine machine = machine_for(given, type_of(problem));
  check_options(options, machine);
  const Computation computation = computation_of(problem, schedule);
  Plan result;
  result.problem = problem;
  result.machine = machine;
  result.options = options;
  result.flops = flops_of(computation);
  result.candidates.push_back(
      {.schedule = schedule,
       .prediction = predict(computation, schedule, used_part(seen_by(schedule, machine), options),
                             options.capacity),
       .measurement = std::nullopt});
  result.certificate.space = "one schedule, given";
  result.certificate.optimum = result.candidates.front().prediction.seconds;
  result.certificate.bound = result.certificate.optimum;
  result.plan_seconds = seconds_since(start);
  return result;
}

}  // namespace tileplan
