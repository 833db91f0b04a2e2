// SPDX-License-Identifier: Apache-2.0
// plan() calls the stages of the library in order. TILEPLAN_TRACE=orders,kernels,search,rank,verify
// prints a line after each stage.
#include "tileplan/plan.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "certificate.h"
#include "computation.h"
#include "cost.h"
#include "cross_check.h"
#include "machine_rules.h"
#include "merge_dims.h"
#include "option_rules.h"
#include "orders.h"
#include "rank.h"
#include "search.h"
#include "stage_trace.h"
#include "tileplan/error.h"
#include "tileplan/verify.h"
#include "units.h"

namespace tileplan {
namespace {

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Returns a plan without candidates. Throws Error for wrong input as plan() does.
Plan prepare_plan(const Problem& problem, const Machine& given, const Options& options) {
  validate(problem);
  check_machine(given, "machine " + given.name);
  Plan result{
      .problem = problem, .machine = machine_for(given, type_of(problem)), .options = options};
  check_options(options, result.machine, type_of(problem));
  return result;
}

SearchResults search_schedules(const SearchSpace& space) {
  SearchResults found = search_divisor_tiles(space);
  trace_search("divisor_tiles", space, found);
  found = search_uneven_tiles(space, std::move(found));
  trace_search("uneven_tiles", space, found);
  found = search_pixel_vectors(space, std::move(found));
  trace_search("pixel_vectors", space, found);
  found = search_mixed_tilings(space, std::move(found));
  trace_search("mixed_tilings", space, found);
  found = search_untiled_nests(space, std::move(found));
  trace_search("untiled_nests", space, found);
  return found;
}

/// Repeats the search with the vectors of `narrow`. Every schedule names their ISA.
Candidates search_narrow_vectors(const SearchSpace& space, const Machine& narrow) {
  Candidates found =
      search_schedules({space.computation, space.classes, narrow, space.options}).candidates;
  for (Candidate& each : found.ranked) each.schedule.isa = narrow.vector.isa;
  return found;
}

}  // namespace

Plan plan(const Problem& problem, const Machine& given, const Options& options) {
  const auto start = std::chrono::steady_clock::now();
  Plan result = prepare_plan(problem, given, options);
  Machine used = result.machine;
  used.cores = options.threads;
  const Computation computation = merge_adjacent_dims(computation_of(problem));
  cross_check_footprints(computation);
  const OrderClasses classes = order_classes(computation);
  trace_stage("orders", {{"signatures", classes.signatures},
                         {"classes", static_cast<double>(classes.classes.size())}});
  const SearchSpace space{computation, classes, used, options};
  auto [candidates, record, kernels, least_compute] = search_schedules(space);
  trace_stage("kernels", {{"all", static_cast<double>(record.all_kernels)},
                          {"searched", record.divisors.combos},
                          {"least_compute_seconds", least_compute}});
  if (const auto narrow = promising_narrow_vectors(space, candidates.seconds))
    candidates.add(search_narrow_vectors(space, *narrow));
  else
    used.narrow.reset();  // The certificate covers only searched units.
  result.certificate =
      certify({computation, classes, used, options, record, kernels, candidates.ranked});
  const auto scored = static_cast<double>(candidates.ranked.size());
  result.candidates =
      best_first(std::move(candidates.ranked), std::max(options.top, options.verify));
  trace_stage("rank", {{"scored", scored},
                       {"kept", static_cast<double>(result.candidates.size())},
                       {"best_seconds", result.certificate.optimum}});
  const double bound = bound_bytes(computation, used);
  for (Candidate& each : result.candidates) each.prediction.bound_bytes = bound;
  result.flops = flops(computation);
  result.rejected = candidates.rejected_reasons();
  result.plan_seconds = seconds_since(start);
  if (result.candidates.empty()) throw Error(candidates.why_empty(problem));
  return options.verify > 0 ? verify(std::move(result)) : result;
}

Plan plan_of(const Problem& problem, const Machine& given, const Schedule& schedule,
             const Options& options) {
  const auto start = std::chrono::steady_clock::now();
  Plan result = prepare_plan(problem, given, options);
  const Computation computation = computation_of(problem, schedule);
  Machine used = machine_for_schedule(schedule, result.machine);
  used.cores = options.threads;
  const Prediction prediction = predict(computation, schedule, used, options.capacity);
  result.flops = flops(computation);
  result.candidates = {{.schedule = schedule, .prediction = prediction}};
  result.certificate = {.space = "one schedule, given",
                        .optimum = prediction.seconds,
                        .bottleneck = prediction.bottleneck,
                        .gap = 1};
  result.plan_seconds = seconds_since(start);
  return result;
}

}  // namespace tileplan
