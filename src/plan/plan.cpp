// SPDX-License-Identifier: Apache-2.0
// The pipeline, nothing else: problem -> computation -> kernels x orders x tiles -> ranked
// schedules -> measured.
#include "tileplan/plan.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "certificate.h"
#include "computation.h"
#include "cost.h"
#include "cross_check.h"
#include "machine_rules.h"
#include "merged.h"
#include "option_rules.h"
#include "orders.h"
#include "rank.h"
#include "search.h"
#include "tileplan/error.h"
#include "tileplan/verify.h"
#include "units.h"

namespace tileplan {

namespace {

/// `machine` with the cores that `options` lets a schedule use.
Machine used_part(Machine machine, const Options& options) {
  machine.cores = options.threads;
  return machine;
}

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// A plan of what is asked for, without candidates yet. Throws what `plan` throws of wrong input.
Plan planned_for(const Problem& problem, const Machine& given, const Options& options) {
  validate(problem);
  check_machine(given, "machine " + given.name);
  Plan result;
  result.problem = problem;
  result.machine = machine_for(given, type_of(problem));
  result.options = options;
  check_options(options, result.machine, type_of(problem));
  return result;
}

}  // namespace

Plan plan(const Problem& problem, const Machine& given, const Options& options) {
  const auto start = std::chrono::steady_clock::now();
  Plan result = planned_for(problem, given, options);
  Machine used = used_part(result.machine, options);
  const Computation computation = merged(computation_of(problem));
  cross_check_footprints(computation);
  const OrderClasses classes = order_classes(computation);
  const Sweep found = sweep({computation, classes, used, options});
  if (!found.has_narrow) used.narrow.reset();  // bounds are of the units that were searched
  const Candidates& candidates = found.candidates;
  result.flops = flops(computation);
  result.certificate = certify(
      {computation, classes, used, options, found.record, found.kernels, candidates.ranked});
  result.candidates = best_first(candidates.ranked, std::max(options.top, options.verify));
  const double bound = bound_bytes(computation, used);
  for (Candidate& each : result.candidates) each.prediction.bound_bytes = bound;
  result.rejected = candidates.rejected_reasons();
  result.plan_seconds = seconds_since(start);
  if (result.candidates.empty()) throw Error(candidates.why_empty(problem));
  return options.verify > 0 ? verify(std::move(result)) : result;
}

Plan plan_of(const Problem& problem, const Machine& given, const Schedule& schedule,
             const Options& options) {
  const auto start = std::chrono::steady_clock::now();
  Plan result = planned_for(problem, given, options);
  const Computation computation = computation_of(problem, schedule);
  const Machine used = used_part(machine_for_schedule(schedule, result.machine), options);
  const Prediction prediction = predict(computation, schedule, used, options.capacity);
  result.flops = flops(computation);
  result.candidates = {
      {.schedule = schedule, .prediction = prediction, .measurement = std::nullopt}};
  result.certificate.space = "one schedule, given";
  result.certificate.optimum = prediction.seconds;
  result.certificate.gap = 1;
  result.certificate.bottleneck = prediction.bottleneck;
  result.plan_seconds = seconds_since(start);
  return result;
}

}  // namespace tileplan
