// SPDX-License-Identifier: Apache-2.0
// Draws, checks, measures and writes layer by layer.
#include <algorithm>
#include <limits>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <sstream>
#include <string_view>

#include "bound_kernel.h"
#include "cost.h"
#include "expand_schedules.h"
#include "kernels.h"
#include "merge_dims.h"
#include "nest.h"
#include "random_sample.h"
#include "ranking_rows.h"
#include "ranking_summary.h"
#include "runner.h"
#include "schedule_evaluator.h"
#include "studies.h"
#include "study_table.h"
#include "tileplan/error.h"
#include "tileplan/plan.h"
#include "units.h"

namespace tileplan {

namespace {

/// The model's schedules that are measured beside the random ones.
constexpr int kModelTop = 10;
/// The fastest schedules of each origin are measured again, with more samples.
constexpr int kFinalists = 3;
constexpr int kFinalSamples = 25;
/// Draws per wanted schedule; small layers have fewer schedules than are asked for.
constexpr int kMostDraws = 20;

/// Holds the schedules of one layer, compiled and checked. A schedule that failed has a note and no
/// kernel.
class LayerSchedules {
 public:
  LayerSchedules(const Problem& problem, const Machine& machine, std::uint64_t seed)
      : tensors_(merge_adjacent_dims(computation_of(problem)), seed),
        plan_(plan(problem, machine, {.top = kModelTop, .seed = seed})) {
    const std::vector<Candidate> best = plan_.candidates;
    const Schedule& first = best.front().schedule;
    spots_ = std::make_unique<SampledCheck>(
        tensors_, resolve(first, tensors_.computation(), unit_of(first, plan_.machine).lanes),
        first.out, plan_.options);
    for (std::size_t i = 0; i < best.size(); ++i) add(best[i], static_cast<int>(i) + 1);
  }

  void draw(int schedules, std::mt19937& random) {
    const Computation& computation = tensors_.computation();
    const Machine& machine = plan_.machine;
    // Without a limit these are all kernels and combinations of the fast class.
    const std::vector<KernelCombo> combos =
        kernel_combos(computation, machine, std::numeric_limits<int>::max());
    const std::vector<Layouts> layouts = layouts_of(computation, LayoutChoice::any, machine.vector);
    int wanted = schedules;
    for (int i = 0; i < kMostDraws * schedules && wanted > 0; ++i) {
      Candidate drawn;
      drawn.schedule = random_schedule(computation, combos, machine.vector.lanes, random);
      const Layouts& choice =
          layouts[std::uniform_int_distribution<std::size_t>(0, layouts.size() - 1)(random)];
      drawn.schedule.in = choice.in;
      drawn.schedule.out = choice.out;
      drawn.prediction = predict(computation, drawn.schedule, machine);
      if (add(drawn, 0)) --wanted;
    }
  }

  /// Times all that compiled, then the fastest once more, in up to as many seconds again.
  RunnerResult measure(Instruments& instruments, RunnerOptions options) {
    std::vector<std::size_t> all;
    for (std::size_t i = 0; i < rows_.size(); ++i)
      if (kernels_[i]) all.push_back(i);
    RunnerResult result = time(all, instruments, options);
    for (std::size_t i = 0; i < all.size(); ++i)
      rows_[all[i]].candidate.measurement = result.series[i].measurement();
    options.enough = kFinalSamples;
    const std::vector<std::size_t> fastest = fastest_of_each();
    const RunnerResult last = time(fastest, instruments, options);
    for (std::size_t i = 0; i < fastest.size(); ++i)
      rows_[fastest[i]].again = last.series[i].measurement();
    result.seconds += last.seconds;
    result.waiting_seconds += last.waiting_seconds;
    return result;
  }

  const std::vector<RankingRow>& rows() const { return rows_; }

 private:
  RunnerResult time(const std::vector<std::size_t>& rows, Instruments& instruments,
                    const RunnerOptions& options) const {
    std::vector<Workload> workloads;
    workloads.reserve(rows.size());
    for (const std::size_t row : rows)
      workloads.push_back({.run = [bound = kernels_[row].get()] { bound->run(); }});
    return measure_interleaved(workloads, instruments, options);
  }

  /// Returns the fastest rows of both origins.
  std::vector<std::size_t> fastest_of_each() const {
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < rows_.size(); ++i)
      if (rows_[i].counts()) order.push_back(i);
    std::sort(order.begin(), order.end(), [this](std::size_t a, std::size_t b) {
      return rows_[a].candidate.measurement->median_seconds <
             rows_[b].candidate.measurement->median_seconds;
    });
    int model = 0, random = 0;
    std::erase_if(order, [&](std::size_t row) {
      return (rows_[row].rank > 0 ? model : random)++ >= kFinalists;
    });
    return order;
  }

  /// Compiles and checks; returns whether it can be timed. Ignores a schedule that is there
  /// already.
  bool add(const Candidate& candidate, int rank) {
    if (!seen_.insert(to_string(candidate.schedule)).second) return false;
    rows_.push_back(
        {.layer = name_of(plan_.problem), .rank = rank, .candidate = candidate, .note = ""});
    kernels_.push_back(nullptr);
    try {
      plan_.candidates = {candidate};
      auto bound = std::make_unique<BoundKernel>(compile(plan_), tensors_);
      const Check check = spots_->check(*bound);
      if (check.passed())
        kernels_.back() = std::move(bound);
      else
        rows_.back().note = failure_text(check);
    } catch (const Error& error) {  // a layout whose blocks the loops cut: another draw
      rows_.back().note = error.what();
    }
    return kernels_.back() != nullptr;
  }

  Tensors tensors_;
  Plan plan_;  ///< its candidate is the one being compiled
  std::unique_ptr<SampledCheck> spots_;
  std::vector<RankingRow> rows_;
  std::vector<std::unique_ptr<BoundKernel>> kernels_;  ///< of the rows
  std::set<std::string> seen_;
};

StudyHead head_of(const Machine& machine, const StudyOptions& options,
                  const std::vector<std::string>& levels) {
  std::ostringstream conditions;
  conditions << "# hot caches, weights packed before, 1 thread; seed " << options.seed << ", "
             << options.schedules << " schedules drawn at random, the model's best " << kModelTop
             << ", " << options.budget_seconds << " s per layer\n";
  return study_head("ranking", machine, options, conditions.str(), ranking_columns(levels));
}

std::vector<std::string> names_of(const std::vector<CacheLevel>& caches) {
  std::vector<std::string> names;
  names.reserve(caches.size());
  for (const CacheLevel& cache : caches) names.push_back(cache.name);
  return names;
}

/// The study of one folder.
class RankingStudy {
 public:
  RankingStudy(const Machine& machine, const StudyOptions& options, const Print& print)
      : machine_(machine),
        options_(options),
        levels_(names_of(machine.caches)),
        head_(head_of(machine, options, levels_)),
        folder_(options, print),
        table_(folder_.path("ranking.csv"), head_, options.resume),
        instruments_(make_instruments(machine.vector.isa)) {}

  void run() {
    folder_.say(head_.facts + head_.date +
                "regret: measured time over that of the best schedule known, - 1\n" +
                ranking_head());
    std::vector<LayerRanking> layers;
    std::set<std::string> done;
    for (const Problem& problem : options_.layers) {
      const std::string name = name_of(problem);
      if (!done.insert(name).second) continue;
      std::vector<RankingRow> rows;
      for (const StudyRow& row : table_.rows(name)) rows.push_back(read_ranking_row(row, levels_));
      const std::string times = rows.empty() ? measure(problem, rows) : "";
      layers.push_back(ranking_of(rows));
      folder_.say(ranking_line(layers.back()) + left_out_lines(rows) + times);
    }
    folder_.say(ranking_totals(layers));
  }

 private:
  /// Fills in the rows, and returns a line that says how long it took.
  std::string measure(const Problem& problem, std::vector<RankingRow>& rows) {
    const double start = instruments_.clock();
    LayerSchedules schedules(problem, machine_, options_.seed);
    std::mt19937 random(static_cast<std::mt19937::result_type>(options_.seed));
    schedules.draw(options_.schedules, random);
    const double prepared = instruments_.clock() - start;
    const RunnerResult result = schedules.measure(
        instruments_, {.budget_seconds = options_.budget_seconds, .seed = options_.seed});
    rows = schedules.rows();
    // The table goes last: what it lists is complete.
    folder_.write("ranking-" + file_part(rows.front().layer) + ".svg",
                  ranking_svg(rows, conditions_title(machine_)));
    std::vector<StudyRow> fields;
    fields.reserve(rows.size());
    for (const RankingRow& row : rows) fields.push_back(to_fields(row, levels_));
    table_.add(fields);
    std::ostringstream times;
    times.precision(3);
    times << "  prepared in " << prepared << " s, measured in " << result.seconds << " s, of these "
          << result.waiting_seconds << " s waiting for a quiet core\n";
    return times.str();
  }

  const Machine& machine_;
  const StudyOptions& options_;
  const std::vector<std::string> levels_;
  const StudyHead head_;
  StudyFolder folder_;
  StudyTable table_;
  const PinnedThread pinned_;
  Instruments instruments_;
};

}  // namespace

void study_ranking(const Machine& machine, const StudyOptions& options, const Print& print) {
  if (options.layers.empty()) throw Error("layers: none; must be at least one");
  require_sense(options);
  RankingStudy(machine, options, print).run();
}

void draw_ranking(const std::string& text, const std::string& origin, const StudyFolder& folder) {
  constexpr std::string_view kEnd = "_bytes";
  const CsvTable table = parse_csv(text, origin);
  std::vector<std::string> levels;
  for (const std::string& name : table.columns)
    if (name.ends_with(kEnd)) levels.push_back(name.substr(0, name.size() - kEnd.size()));
  if (table.columns != csv_fields(ranking_columns(levels)))
    throw Error(origin + ": has other columns; must be " + ranking_columns(levels));
  std::map<std::string, std::vector<RankingRow>> layers;
  for (const CsvFields& fields : table.rows)
    layers[fields.front()].push_back(read_ranking_row(fields, levels));
  for (const auto& [layer, rows] : layers)
    folder.write("ranking-" + file_part(layer) + ".svg", ranking_svg(rows, ", " + origin));
}

}  // namespace tileplan
