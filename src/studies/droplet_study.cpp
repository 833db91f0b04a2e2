// SPDX-License-Identifier: Apache-2.0
// This file runs droplet search with several options, then measures the winners in turns.
#include "droplet_study.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>

#include "convergence_rows.h"
#include "mapped.h"
#include "remeasure_finalists.h"
#include "statistics.h"
#include "studies.h"
#include "text_table.h"

namespace tileplan {

namespace {

constexpr double kFinalShare = 0.2;

struct DropletStudy {
  std::string name;
  std::vector<DropletVariant> variants;
};

std::vector<SearchTask> tasks_of(const DropletStudy& study, const StudyOptions& options,
                                 bool ahead) {
  std::vector<SearchTask> tasks;
  for (const DropletVariant& variant : study.variants)
    if (variant.settings.ahead == ahead)
      tasks.push_back({.strategy = "droplet",
                       .seed = options.seed,
                       .budget = {.measurements = options.measurements, .seconds = kInfinite},
                       .droplet = variant.settings});
  return tasks;
}

/// Runs all variants. Variants that check on another core in advance repeat the measurements of the
/// others. Results that were taken from the other variants would not show the time that checking in
/// advance saves.
LayerSearch search_variants(const DropletStudy& study, const Problem& problem,
                            const Machine& machine, const StudyOptions& options, double seconds) {
  LayerSearch all;
  for (const bool ahead : {false, true}) {
    const std::vector<SearchTask> tasks = tasks_of(study, options, ahead);
    if (tasks.empty()) continue;
    const double share =
        static_cast<double>(tasks.size()) / static_cast<double>(study.variants.size());
    LayerSearchOptions own =
        layer_options(options, study.name + (ahead ? ", ahead" : ""), share * seconds);
    own.ranked = 1;
    LayerSearch search = search_layer(problem, machine, tasks, own);
    std::ranges::move(search.courses, std::back_inserter(all.courses));
  }
  return all;
}

std::vector<std::string> winners_of(const LayerSearch& search) {
  std::set<std::string> winners;
  for (const SearchCourse& course : search.courses) winners.insert(winner_of(course));
  winners.erase("");
  return {winners.begin(), winners.end()};
}

std::string lines_of(const std::vector<DropletRow>& rows) {
  std::string lines;
  for (const DropletRow& row : rows)
    lines += csv_line(fields_of(row.layer, row.variant, row.batches, row.measurements, row.seconds,
                                row.final, row.p_value, row.complete, row.schedule));
  return lines;
}

std::string table_text(const std::vector<DropletRow>& rows) {
  constexpr TextColumns kColumns{.name = 14, .cell = 14};
  std::string text = rows.front().layer + '\n' +
                     text_row(kColumns, "  variant",
                              {"batches", "measurements", "seconds", "final [us]", "p to first"});
  for (const DropletRow& row : rows)
    text += text_row(kColumns, "  " + row.variant,
                     fields_of(row.batches, joined(row.measurements, row.complete ? "" : " (cut)"),
                               decimals(row.seconds, 2), decimals(row.final, 1, kMicroseconds),
                               decimals(row.p_value, 4)));
  return text;
}

std::string plot_of(const std::string& title, const DropletStudy& study, LayerSearch search,
                    const std::vector<DropletRow>& rows) {
  std::map<std::string, double> finals;
  for (std::size_t i = 0; i < search.courses.size(); ++i) {
    search.courses[i].task.strategy = study.variants[i].name;
    if (rows[i].final) finals[rows[i].schedule] = *rows[i].final;
  }
  return convergence_svg(title, convergence_rows(rows.front().layer, search, finals));
}

LayerResults measure_layer(const DropletStudy& study, const Problem& problem,
                           const Machine& machine, const StudyOptions& options, double seconds) {
  const std::string layer = name_of(problem);
  const LayerSearch search =
      search_variants(study, problem, machine, options, (1 - kFinalShare) * seconds);
  const std::vector<DropletRow> rows = droplet_rows(
      layer, study.variants, search,
      remeasure_samples(
          problem, machine, winners_of(search),
          remeasure_options(options, study.name + ", second look", kFinalShare * seconds)));
  return {.rows = lines_of(rows),
          .svg = plot_of(layer + conditions_title(machine), study, search, rows),
          .text = table_text(rows)};
}

void run_study(const DropletStudy& study, const Machine& machine, const StudyOptions& options,
               const Print& print) {
  const Clock clock = steady_clock();
  const double deadline = clock() + options.budget_seconds;
  std::size_t left = options.layers.size();
  study_layers(
      {.name = study.name,
       .conditions =
           joined("# droplet search from the naive schedule of the model's microkernel; at most ",
                  options.measurements, " measurements per search, ",
                  decimals(options.budget_seconds, 0), " s for the whole study\n"),
       .columns =
           "layer,variant,batches,measurements,seconds,final_s,p_to_first,complete,schedule"},
      machine, options, print, [&](const Problem& problem) {
        const double part = std::max(0.0, deadline - clock()) / static_cast<double>(left--);
        return std::optional(measure_layer(study, problem, machine, options, part));
      });
}

}  // namespace

std::vector<DropletVariant> p_value_variants() {
  return {{"p 0.01", {.p_value = 0.01}},
          {"p 0.05", {.p_value = 0.05}},
          {"p 0.10", {.p_value = 0.10}},
          {"p 0.25", {.p_value = 0.25}},
          {"none", {.p_value = 1}}};
}

std::vector<DropletVariant> speculation_variants() {
  return {{"width 1", {.width = 1}},
          {"width 16", {.width = 16}},
          {"16, ahead", {.width = 16, .ahead = true}}};
}

std::string winner_of(const SearchCourse& course) {
  const auto best = std::ranges::min_element(course.steps, {}, &SearchStep::seconds);
  return best == course.steps.end() || !std::isfinite(best->seconds) ? "" : best->schedule;
}

std::vector<DropletRow> droplet_rows(const std::string& layer,
                                     const std::vector<DropletVariant>& variants,
                                     const LayerSearch& search,
                                     const std::map<std::string, std::vector<double>>& samples) {
  std::vector<DropletRow> rows;
  for (std::size_t i = 0; i < variants.size(); ++i) {
    const SearchCourse& course = search.courses[i];
    DropletRow row{.layer = layer,
                   .variant = variants[i].name,
                   .batches = course.batches,
                   .measurements = static_cast<int>(course.steps.size()),
                   .seconds = course.steps.empty() ? 0 : course.steps.back().after_seconds,
                   .complete = course.complete,
                   .schedule = winner_of(course)};
    const auto own = samples.find(row.schedule);
    const auto first = samples.find(winner_of(search.courses.front()));
    if (own != samples.end()) row.final = median(own->second);
    if (own != samples.end() && first != samples.end())
      row.p_value = own == first ? 1 : t_test_p_value(own->second, first->second);
    rows.push_back(row);
  }
  return rows;
}

void study_p_value(const Machine& machine, const StudyOptions& options, const Print& print) {
  run_study({"pvalue", p_value_variants()}, machine, options, print);
}

void study_speculation(const Machine& machine, const StudyOptions& options, const Print& print) {
  run_study({"speculation", speculation_variants()}, machine, options, print);
}

}  // namespace tileplan
