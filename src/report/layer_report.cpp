// SPDX-License-Identifier: Apache-2.0
// This file makes one plan per changed machine, several plans in parallel, and tells why candidates
// have their ranks.
#include "layer_report.h"

#include <algorithm>
#include <cmath>

#include "check.h"
#include "document.h"
#include "footprint.h"
#include "machine_rules.h"
#include "merge_dims.h"
#include "peak.h"
#include "prediction_bound.h"
#include "rank.h"
#include "repack.h"
#include "strips.h"
#include "tileplan/error.h"
#include "units.h"
#include "winograd_cost.h"

namespace tileplan {
namespace {

double seconds_of(const Candidate& candidate) {
  return candidate.measurement ? candidate.measurement->median_seconds
                               : candidate.prediction.seconds;
}

struct Change {
  std::string text;
  Machine machine;
  Options options;
};

/// Returns `machine` with half its L2, or nothing when it has no L2 or half of it is not valid.
std::optional<Machine> with_half_second_cache(Machine machine) {
  if (machine.caches.size() < 2) return std::nullopt;
  machine.caches[1].capacity_bytes /= 2;
  try {
    check_machine(machine, machine.name);
  } catch (const Error&) {
    // Half the L2 can be too small for one cache line per way or, unless the L2 is a victim cache,
    // smaller than the L1.
    return std::nullopt;
  }
  return machine;
}

std::vector<Change> changes_of(const Plan& plan) {
  const Machine& machine = plan.machine;
  Options options = plan.options;
  options.top = 1;
  options.verify = 0;
  std::vector<Change> changes;
  if (const std::optional<Machine> smaller = with_half_second_cache(machine))
    changes.push_back({"half the " + machine.caches[1].name, *smaller, options});
  for (std::size_t level = 0; level < machine.caches.size(); ++level) {
    changes.push_back({"twice the bandwidth into " + machine.caches[level].name, machine, options});
    changes.back().machine.caches[level].fill_bytes_per_second *= 2;
    changes.back().machine.caches[level].write_bytes_per_second *= 2;
  }
  changes.push_back({"one more core", machine, options});
  Change& wider = changes.back();
  ++wider.options.threads;
  wider.machine.cores = std::max(machine.cores, wider.options.threads);
  return changes;
}

std::vector<Sensitivity> sensitivity_of(const Plan& given, const CountDone& progress) {
  const std::vector<Change> changes = changes_of(given);
  std::vector<Sensitivity> found(changes.size());
  run_all(changes.size(), progress, [&](std::size_t i) {
    const auto& [text, machine, options] = changes[i];
    const Certificate best = plan(given.problem, machine, options).certificate;
    found[i] = {.change = text, .seconds = best.optimum, .bottleneck = best.bottleneck};
  });
  return found;
}

/// Returns a text such as "a tie: behind rank 1 for 9 loops, not 8". It tells which rule orders two
/// candidates whose predictions the model cannot distinguish. Returns empty text when there is no
/// tie.
std::string tie_text(const RankKey& own, const RankKey& first, const std::string& second_level) {
  const auto against = [](const std::string& ours, const std::string& theirs) {
    return "a tie: behind rank 1 for " + ours + ", not " + theirs;
  };
  switch (decide(first, own).rule) {
    case Rule::reduction_steps:
      return against("reductions of " + fixed(own.reduction_steps, 0) + " steps",
                     fixed(first.reduction_steps, 0));
    case Rule::bytes_beyond_second_level:
      return against(
          with_prefix(own.bytes_beyond_second_level, "B") + " from beyond " + second_level,
          with_prefix(first.bytes_beyond_second_level, "B"));
    case Rule::adjacent_vectors:
      return against(std::to_string(own.adjacent_vectors) + " adjacent vectors per store",
                     std::to_string(first.adjacent_vectors));
    case Rule::loops:
      return against(std::to_string(own.loops) + " loops", std::to_string(first.loops));
    case Rule::seconds:
      return own.tied && first.tied ? "a tie: behind rank 1 for its predicted time" : "";
    case Rule::text:
      return "a tie: behind rank 1 for its text alone";
  }
  TILEPLAN_CHECK(false, "a rule of rank without words");
}

/// Returns the bytes of one element of `operand` when the loops load it or, for the output, store
/// it for the last time.
std::int64_t moved_element_bytes(const LayerReport& report, Operand operand) {
  const Computation& computation = report.computation;
  if (operand != Operand::output) return computation.tensor(operand).element_bytes();
  const Schedule& schedule = report.explanation.candidate.schedule;
  const VectorUnit& unit = report.explanation.machine.vector;
  return finished_bytes(computation, schedule, resolve(schedule, computation, unit.lanes), unit);
}

}  // namespace

LayerReport layer_report(const Plan& plan, const CountDone& progress) {
  const Schedule& schedule = plan.candidates.front().schedule;
  return {
      .plan = plan,
      .explanation = explain(plan.problem, plan.machine, schedule, plan.options),
      .computation = computation_in_loops(plan.problem, schedule, unit_of(schedule, plan.machine)),
      .sensitivity = sensitivity_of(plan, progress)};
}

std::vector<LayerReport> layer_reports(const std::vector<Plan>& plans, const CountDone& progress) {
  if (plans.empty()) return {};
  std::vector<LayerReport> reports(plans.size());
  run_all(plans.size(), progress, [&](std::size_t i) { reports[i] = layer_report(plans[i]); });
  return reports;
}

double seconds_of(const LayerReport& report) { return seconds_of(report.plan.candidates.front()); }

double share_of_peak(const LayerReport& report) {
  return seconds_at_peak(report.plan, report.plan.candidates.front().measurement) /
         seconds_of(report);
}

double share_of_roofline(const LayerReport& report) {
  return roofline_seconds(report.computation, report.plan.machine, report.plan.options.threads) /
         seconds_of(report);
}

std::string reason_of_rank(const Plan& plan, std::size_t rank) {
  const Candidate& first = plan.candidates.front();
  const Candidate& own = plan.candidates[rank];
  if (rank == 0)
    return (own.measurement ? "fastest measured" : "chosen") + std::string("; limited by ") +
           own.prediction.bottleneck;
  if (first.measurement && !own.measurement) return "not measured";
  const double behind = seconds_of(own) / seconds_of(first) - 1;
  const std::string slower = percent(std::abs(behind)) + (behind < 0 ? " faster" : " slower");
  if (own.measurement) return slower + " as measured; limited by " + own.prediction.bottleneck;
  const double fastest = plan.certificate.optimum;
  const auto& levels = own.prediction.levels;
  const std::string tie = tie_text(rank_key_of(own, fastest), rank_key_of(first, fastest),
                                   levels.size() > 1 ? levels[1].name : "");
  return slower + (tie.empty() ? "; limited by " + own.prediction.bottleneck : ", " + tie);
}

double compulsory_bytes(const LayerReport& report, std::optional<std::size_t> level) {
  const Explanation& explanation = report.explanation;
  // The loops of a Winograd schedule read boxes of transformed tiles, which are no tensors of the
  // caller. The report uses the loads of the whole problem instead.
  if (explanation.candidate.schedule.winograd) return explanation.levels.front().least_loads.bytes;
  const Computation& computation = report.computation;
  const bool is_streamed =
      explanation.candidate.schedule.nontemporal && level && *level + 1 < explanation.levels.size();
  std::int64_t bytes = 0;
  for (const Operand operand : {Operand::input, Operand::weights, Operand::output})
    if (!is_streamed || operand != Operand::output)
      bytes += footprint(computation.tensor(operand), extents_of(computation)) *
               moved_element_bytes(report, operand);
  return static_cast<double>(bytes);
}

}  // namespace tileplan
