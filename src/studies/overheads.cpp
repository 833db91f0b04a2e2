// SPDX-License-Identifier: Apache-2.0
// Each plan is repeated with one overhead, or the overlap exponent, halved or doubled. Its first
// schedule is then predicted with the unchanged value.
#include <algorithm>
#include <utility>

#include "overhead_names.h"
#include "studies.h"
#include "text_table.h"
#include "tileplan/plan.h"
#include "tileplan/verify.h"

namespace tileplan {
namespace {

constexpr double kFactors[] = {0.5, 2};

/// Holds the inputs of one plan, and the schedule that the plan chooses with the unchanged
/// overheads.
struct Case {
  Problem problem;
  Options options;
  Schedule chosen = {};
  double seconds = 0;
};

double predicted(const Case& each, const Machine& machine, const Schedule& schedule) {
  return plan_of(each.problem, machine, schedule, each.options)
      .candidates.front()
      .prediction.seconds;
}

/// Returns the plans to compare for each layer: one on one core, one with plain weights and, if
/// there are several cores, one on all of them.
std::vector<Case> cases_of(const Machine& machine, const StudyOptions& options) {
  std::vector<Options> all(2);
  all[1].weights = WeightsChoice::plain;
  if (machine.cores > 1) all.push_back({.threads = machine.cores});
  std::vector<Case> cases;
  for (const Problem& problem : options.layers)
    for (const Options& each : all) cases.push_back({.problem = problem, .options = each});
  for (Case& each : cases) {
    if (stop_requested()) break;
    each.chosen = plan(each.problem, machine, each.options).candidates.front().schedule;
    each.seconds = predicted(each, machine, each.chosen);
  }
  return cases;
}

struct Effect {
  int changed = 0;         ///< This many plans choose another schedule.
  double loss = 0;         ///< Holds the mean over all plans of the share by which they slow down.
  double worst = 0;        ///< Holds the largest share by which a choice is predicted to be slower.
  std::string worst_case;  ///< Names the layer with the largest share.
};

Effect effect_of(const std::vector<Case>& cases, const Machine& machine, const Machine& varied) {
  Effect effect;
  for (const Case& each : cases) {
    if (stop_requested()) break;
    const Plan other = plan(each.problem, varied, each.options);
    const Schedule& schedule = other.candidates.front().schedule;
    if (schedule == each.chosen) continue;
    ++effect.changed;
    const double loss = predicted(each, machine, schedule) / each.seconds - 1;
    effect.loss += loss / static_cast<double>(cases.size());
    if (loss <= effect.worst) continue;
    effect.worst = loss;
    effect.worst_case = name_of(each.problem);
  }
  return effect;
}

std::string line_of(const std::string& name, double value, double factor, const Effect& effect) {
  return csv_line(fields_of(name, value, factor, effect.changed, decimals(effect.loss, 2, kPercent),
                            decimals(effect.worst, 1, kPercent), effect.worst_case));
}

}  // namespace

void study_overheads(const Machine& machine, const StudyOptions& options, const Print& print) {
  StudyFolder folder(options, print);
  const std::vector<Case> cases = cases_of(machine, options);
  if (stop_requested()) return;
  std::string table =
      joined(study_facts("overheads", machine, options.version), "# ", cases.size(),
             " plans, of each layer on one core, with plain weights and on all cores\n",
             "overhead,value,factor,changed,loss_percent,worst_loss_percent,worst_layer\n");
  folder.say(table);
  constexpr std::size_t kRows = std::size(kFactors) * (std::size(kOverheads) + 1);
  std::size_t done = 0;
  const auto add = [&](const std::string& name, const auto& number_of) {
    for (const double factor : kFactors) {
      Machine varied = machine;
      double& number = number_of(varied.rates);
      const double value = std::exchange(number, factor * number);
      const std::string line = line_of(name, value, factor, effect_of(cases, machine, varied));
      if (stop_requested()) return;
      folder.say(line);
      table += line;
      folder.show(++done, kRows);
    }
  };
  for (const NamedOverhead& each : kOverheads)
    add(each.name, [&](MeasuredRates& rates) -> double& { return each.of(rates.overheads); });
  add("overlap_exponent", [](MeasuredRates& rates) -> double& { return rates.overlap_exponent; });
  // If this run is incomplete, the complete table of an earlier run is kept.
  if (!stop_requested()) folder.write("overheads.csv", table);
}

}  // namespace tileplan
