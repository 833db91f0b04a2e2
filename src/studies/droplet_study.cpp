// SPDX-License-Identifier: Apache-2.0
// The same search under other options, then the winners in turns.
#include "droplet_study.h"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <limits>
#include <set>
#include <sstream>

#include "convergence_rows.h"
#include "convergence_summary.h"
#include "csv.h"
#include "remeasure_finalists.h"
#include "statistics.h"
#include "stop.h"
#include "timer.h"

namespace tileplan {

namespace {

/// Of a layer's part of the budget, for the second look.
constexpr double kFinalShare = 0.2;

struct DropletStudy {
  std::string name;
  std::vector<DropletVariant> variants;
};

std::vector<SearchTask> tasks_of(const DropletStudy& study, const SearchStudyOptions& options) {
  std::vector<SearchTask> tasks;
  for (const DropletVariant& variant : study.variants)
    tasks.push_back({.strategy = "droplet",
                     .seed = options.seed,
                     .budget = {.measurements = options.measurements,
                                .seconds = std::numeric_limits<double>::infinity()},
                     .schedules = {},
                     .droplet = variant.settings});
  return tasks;
}

/// Winners, each once.
std::vector<std::string> winners_of(const LayerSearch& search) {
  std::set<std::string> winners;
  for (const SearchCourse& course : search.courses) winners.insert(winner_of(course));
  winners.erase("");
  return {winners.begin(), winners.end()};
}

std::string lines_of(const std::vector<DropletRow>& rows) {
  std::ostringstream lines;
  for (const DropletRow& row : rows)
    lines << csv_quoted(row.layer) << ',' << row.variant << ',' << row.batches << ','
          << row.measurements << ',' << csv_number(row.seconds) << ','
          << (row.final ? csv_number(*row.final) : "") << ','
          << (row.p_value ? csv_number(*row.p_value) : "") << ',' << row.complete << ','
          << csv_quoted(row.schedule) << '\n';
  return lines.str();
}

std::string table_text(const std::vector<DropletRow>& rows) {
  constexpr int kNameWidth = 12, kWidth = 14;
  constexpr double kMicroseconds = 1e6;
  std::ostringstream text;
  const auto cells = [&](const std::vector<std::string>& all) {
    text << "  " << std::left << std::setw(kNameWidth) << all.front() << std::right;
    for (std::size_t i = 1; i < all.size(); ++i) text << std::setw(kWidth) << all[i];
    text << '\n';
  };
  const auto number = [](double value, int digits) {
    std::ostringstream shown;
    shown << std::fixed << std::setprecision(digits) << value;
    return shown.str();
  };
  text << rows.front().layer << '\n';
  cells({"variant", "batches", "measurements", "seconds", "final [us]", "p to first"});
  for (const DropletRow& row : rows)
    cells({row.variant, std::to_string(row.batches),
           std::to_string(row.measurements) + (row.complete ? "" : " (cut)"),
           number(row.seconds, 2), row.final ? number(kMicroseconds * *row.final, 1) : "-",
           row.p_value ? number(*row.p_value, 4) : "-"});
  return text.str();
}

/// Best so far against measurements, a line per variant.
std::string plot_of(const std::string& title, const DropletStudy& study, LayerSearch search,
                    const std::vector<DropletRow>& rows) {
  std::map<std::string, double> finals;
  for (std::size_t i = 0; i < search.courses.size(); ++i) {
    search.courses[i].task.strategy = study.variants[i].name;
    if (rows[i].final) finals[rows[i].schedule] = *rows[i].final;
  }
  return convergence_svg(title, convergence_rows(rows.front().layer, search, finals));
}

void run_study(const DropletStudy& study, const Machine& machine, const SearchStudyOptions& options,
               const std::function<void(const std::string&)>& say) {
  const std::string table_name = study.name + ".csv";
  StudyFolder folder(options, table_name, say);
  std::ostringstream head;
  head << results_head(study.name, machine, options) << "# droplet search from the naive schedule "
       << "of the model's microkernel; "
       << "at most " << options.measurements << " measurements per search, "
       << options.budget_seconds << " s for the whole study\n";
  folder.say(head.str());
  std::string table =
      head.str() +
      "layer,variant,batches,measurements,seconds,final_s,p_to_first,complete,schedule\n";
  const Clock clock = steady_clock();
  const double deadline = clock() + options.budget_seconds;
  std::size_t left = options.layers.size();
  for (const Problem& problem : options.layers) {
    if (stop_requested()) break;
    const std::string layer = name_of(problem);
    const double part = std::max(0.0, deadline - clock()) / static_cast<double>(left--);
    LayerSearchOptions search_options = layer_options(options, study.name);
    search_options.ranked = 1;
    search_options.budget_seconds = (1 - kFinalShare) * part;
    const LayerSearch search =
        search_layer(problem, machine, tasks_of(study, options), search_options);
    const std::vector<DropletRow> rows =
        droplet_rows(layer, study.variants, search,
                     second_look_samples(problem, machine, winners_of(search),
                                         {.records = options.records,
                                          .version = search_options.version + ", second look",
                                          .budget_seconds = kFinalShare * part,
                                          .seed = options.seed}));
    table += lines_of(rows);
    folder.write(table_name, table);
    folder.write(
        study.name + "-" + file_part(layer) + ".svg",
        plot_of(layer + ", " + machine.name + ", hot caches, 1 thread", study, search, rows));
    folder.say(table_text(rows));
  }
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
  return {{"width 1", {.width = 1}}, {"width 16", {.width = 16}}};
}

std::string winner_of(const SearchCourse& course) {
  const auto best = std::min_element(
      course.steps.begin(), course.steps.end(),
      [](const SearchStep& a, const SearchStep& b) { return a.seconds < b.seconds; });
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

void study_p_value(const Machine& machine, const SearchStudyOptions& options,
                   const std::function<void(const std::string&)>& say) {
  run_study({"pvalue", p_value_variants()}, machine, options, say);
}

void study_speculation(const Machine& machine, const SearchStudyOptions& options,
                       const std::function<void(const std::string&)>& say) {
  run_study({"speculation", speculation_variants()}, machine, options, say);
}

}  // namespace tileplan
