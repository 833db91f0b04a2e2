// SPDX-License-Identifier: Apache-2.0
// Draws, sorted.
#include "distribution.h"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <sstream>

#include "share_curve.h"
#include "statistics.h"
#include "stop.h"

namespace tileplan {

namespace {

/// Schedules of the model that are marked.
constexpr int kModelTop = 10;

/// Times that were measured, fastest first.
std::vector<double> times_of(const SearchCourse& course) {
  std::vector<double> times;
  for (const SearchStep& step : course.steps)
    if (std::isfinite(step.seconds)) times.push_back(step.seconds);
  std::sort(times.begin(), times.end());
  return times;
}

std::string rows_of(const std::string& layer, const LayerSearch& search) {
  std::ostringstream rows;
  rows.precision(9);
  for (const SearchCourse& course : search.courses)
    for (const SearchStep& step : course.steps)
      rows << layer << ',' << course.task.strategy << ',' << step.seconds << ",\"" << step.schedule
           << "\"\n";
  return rows.str();
}

std::string layer_summary(const std::string& layer, const std::vector<double>& random,
                          const std::vector<double>& model, double first_model) {
  std::ostringstream line;
  line << std::fixed << std::setprecision(1) << layer << ": " << random.size()
       << " random schedules, fastest " << random.front() * 1e6 << " us, median "
       << median(random) * 1e6 << " us; the model's first is faster than "
       << 100 * share_slower(random, first_model) << " % of them, its best of " << model.size()
       << " (" << model.front() * 1e6 << " us) than " << 100 * share_slower(random, model.front())
       << " %\n";
  return line.str();
}

}  // namespace

double share_slower(const std::vector<double>& all, double seconds) {
  const auto slower =
      std::count_if(all.begin(), all.end(), [&](double one) { return one > seconds; });
  return static_cast<double>(slower) / static_cast<double>(all.size());
}

void study_distribution(const Machine& machine, const SearchStudyOptions& options,
                        const std::function<void(const std::string&)>& say) {
  constexpr const char* kTable = "distribution.csv";
  StudyFolder folder(options, kTable, say);
  const std::string head = results_head("distribution", machine, options) + limits_line(options);
  folder.say(head);
  std::string table = head + "layer,drawn by,seconds,schedule\n";
  const std::vector<SearchTask> tasks{
      {.strategy = "model",
       .budget = {.measurements = kModelTop, .seconds = options.budget_seconds}},
      {.strategy = "random",
       .seed = options.seed,
       .budget = {.measurements = options.measurements, .seconds = options.budget_seconds}}};
  for (const Problem& problem : options.layers) {
    if (stop_requested()) break;
    const std::string layer = name_of(problem);
    const LayerSearch search =
        search_layer(problem, machine, tasks, layer_options(options, "distribution"));
    const std::vector<double> model = times_of(search.courses[0]);
    const std::vector<double> random = times_of(search.courses[1]);
    if (model.empty() || random.empty()) {
      folder.say(layer + ": nothing was measured undisturbed\n");
      continue;
    }
    const double peak = peak_seconds(problem, machine);
    table += rows_of(layer, search);
    folder.write("distribution-" + file_part(layer) + ".svg",
                 share_plot(layer, machine,
                            {share_curve("random", random, peak),
                             share_curve("the model's first 10", model, peak)}));
    folder.write(kTable, table);
    folder.say(layer_summary(layer, random, model, search.courses[0].steps.front().seconds));
  }
}

}  // namespace tileplan
