// SPDX-License-Identifier: Apache-2.0
// These experiments compare strategies on the same layers. The strategies search with equal
// budgets, and their best schedules are measured again in turns.
#pragma once

#include "convergence_rows.h"
#include "study.h"

namespace tileplan {

/// Holds the strategies that a study compares.
struct SearchExperiment {
  std::string name;  ///< Names the experiment, whose results are written to NAME.csv.
  std::vector<std::string> strategies;
};

/// Returns all strategies except those of the template, and except random search with fewer
/// microkernels.
SearchExperiment convergence_experiment();
/// Returns the strategies that search the space of AutoTVM's template. Grid search is one of them
/// and measures the whole space if the budget suffices.
SearchExperiment template_experiment();
/// Returns the strategies of OpEvo's Tables 1 to 3, and the model.
SearchExperiment opevo_experiment();
/// Returns the strategies of Figure 17 of the Droplet paper, and the model.
SearchExperiment kinds_experiment();
/// Returns the model and the searches of the ablation study in "Autotuning Convolutions is Easier
/// Than You Think". These are random search with all microkernels, with single ones and with the
/// fastest one, and TTile's list of schedules in the order of its metric and in the order of our
/// predictions.
SearchExperiment ablation_experiment();

/// Holds the functions that run searches and that measure their best schedules again. Tests replace
/// them by formulas that compute times.
struct SearchMeasurements {
  std::function<LayerSearch(const Problem&, const Machine&, const std::vector<SearchTask>&,
                            const LayerSearchOptions&)>
      search;
  std::function<std::map<std::string, double>(const Problem&, const Machine&,
                                              const std::vector<std::string>& schedules,
                                              const LayerSearchOptions&)>
      again;

  /// Returns search_layer() and remeasure_finalists(), which measure this host.
  static SearchMeasurements on_this_host();
};

/// Runs the strategies of `experiment`, or those of `options`, on each layer with at most
/// `options.measurements` measurements each, then measures the best schedules again. Layers share
/// `options.budget_seconds` evenly. In a layer, the searches with the first seed share the time
/// evenly, and those with further seeds get the rest. With `options.resume`, layers that an earlier
/// run completed are not searched again. If this build lacks a strategy, it is left out, but Error
/// is thrown if `options` name it.
void study_searches(const SearchExperiment& experiment, const Machine& machine,
                    const StudyOptions& options, const Print& print,
                    const SearchMeasurements& measurements = SearchMeasurements::on_this_host());

}  // namespace tileplan
