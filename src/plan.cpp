// SPDX-License-Identifier: Apache-2.0
// The pipeline, nothing else: problem -> computation -> kernels x orders x tiles -> ranked
// schedules -> measured.
#include "tileplan/plan.h"

#include <algorithm>
#include <chrono>
#include <cmath>

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
#include "tileplan/error.h"
#include "tileplan/verify.h"

namespace tileplan {

namespace {

/// Kernel combinations that are searched, best compute first. Each costs about 1 ms; beyond these
/// the compute alone is slower than the best schedule.
constexpr int kCombos = 40;

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

}  // namespace

Plan plan(const Problem& problem, const Machine& machine, const Options& options) {
  const auto start = std::chrono::steady_clock::now();
  validate(problem);
  check_machine(machine);
  check_options(options, machine);
  const Machine used = used_part(machine, options);
  const Computation computation = merged(computation_of(problem));
  cross_check_footprints(computation);
  const OrderClasses classes = order_classes(computation);
  const std::vector<Layouts> layouts = layouts_of(computation, options.layout, machine.vector);
  Candidates candidates;
  SearchRecord record;
  for (const KernelCombo& kernels : kernel_combos(computation, used, kCombos)) {
    const SearchResult found =
        exact_search(computation, kernels, classes, used, {.incumbent = record.optimum()});
    record.add(kernels, found);
    append_concrete(candidates, {computation, kernels, classes, used}, found, layouts);
  }
  Plan result;
  result.problem = problem;
  result.machine = machine;
  result.options = options;
  result.flops = flops_of(computation);
  result.candidates =
      best_first(std::move(candidates.ranked), std::max(options.top, options.verify));
  result.rejected = candidates.rejected_reasons();
  result.certificate = certify(computation, classes, used, record, options.certify_full);
  result.plan_seconds = seconds_since(start);
  if (result.candidates.empty()) throw Error(candidates.why_empty(problem));
  return options.verify > 0 ? verify(std::move(result)) : result;
}

Plan plan_conv(const ConvShape& shape, const Machine& machine, const Options& options) {
  return plan(shape, machine, options);
}

Plan plan_gemm(const GemmShape& shape, const Machine& machine, const Options& options) {
  return plan(shape, machine, options);
}

Plan plan_of(const Problem& problem, const Machine& machine, const Schedule& schedule,
             const Options& options) {
  const auto start = std::chrono::steady_clock::now();
  validate(problem);
  check_machine(machine);
  check_options(options, machine);
  const Computation computation = computation_of(problem, schedule);
  Plan result;
  result.problem = problem;
  result.machine = machine;
  result.options = options;
  result.flops = flops_of(computation);
  result.candidates.push_back(
      {.schedule = schedule,
       .prediction = predict(computation, schedule, used_part(machine, options)),
       .measurement = std::nullopt});
  result.certificate.space = "one schedule, given";
  result.certificate.optimum = result.candidates.front().prediction.seconds;
  result.certificate.bound = result.certificate.optimum;
  result.plan_seconds = seconds_since(start);
  return result;
}

}  // namespace tileplan
