// SPDX-License-Identifier: Apache-2.0
// The times of stages add up, so that a table of them tells where the time of a plan goes.
#include "algorithm_sections.h"

#include "regime.h"

namespace tileplan {
namespace {

Section stages_section(const Plan& plan) {
  const std::vector<StagePrediction>& stages = plan.candidates.front().prediction.stages;
  Table table{.id = "stages", .headings = {"stage", "time", "computing"}};
  for (const LevelPrediction& level : stages.front().levels) {
    table.headings.push_back("whole lines into " + level.name);
    table.headings.push_back("time of the link into " + level.name);
  }
  for (const StagePrediction& stage : stages) {
    std::vector<Cell> row{
        {stage.name}, quantity(stage.seconds, "s"), quantity(stage.compute_seconds, "s")};
    for (const LevelPrediction& level : stage.levels) {
      row.push_back(quantity(level.bytes, "B"));
      row.push_back(quantity(level.seconds, "s"));
    }
    table.rows.push_back(std::move(row));
  }
  return {"Stages",
          {Paragraph{"A Winograd convolution transforms tiles of the input, multiplies them by "
                     "transformed weights, and transforms the products back. The predicted times, "
                     "with " +
                     in_words(plan.options.regime) + ", add up."},
           table},
          true};
}

Section algorithms_section(const Plan& plan) {
  Table table{
      .id = "algorithms",
      .headings = {"algorithm", "best prediction", "none below", "error bound over direct"}};
  for (const AlgorithmBound& each : plan.certificate.algorithms)
    table.rows.push_back({{each.algorithm},
                          each.optimum > 0 ? quantity(each.optimum, "s") : Cell{"-"},
                          quantity(each.bound, "s"),
                          decimals(each.relative_error, 2)});
  return {
      "Algorithms",
      {Paragraph{"Candidates have the algorithms of the best predictions. An algorithm without a "
                 "prediction was not searched, because none of its schedules can be faster."},
       table}};
}

}  // namespace

std::vector<Section> algorithm_sections(const Plan& plan) {
  std::vector<Section> sections;
  if (!plan.candidates.front().prediction.stages.empty()) sections.push_back(stages_section(plan));
  if (plan.certificate.algorithms.size() > 1) sections.push_back(algorithms_section(plan));
  return sections;
}

}  // namespace tileplan
