// SPDX-License-Identifier: Apache-2.0
// This file draws random schedules, checks and measures them, and writes the results of each layer.
#include <algorithm>
#include <iomanip>
#include <set>

#include "attached_kernel.h"
#include "mapped.h"
#include "merge_dims.h"
#include "random_schedules.h"
#include "ranking_table.h"
#include "schedule_evaluator.h"
#include "studies.h"
#include "text_table.h"
#include "tileplan/error.h"

namespace tileplan {

namespace {

constexpr int kModelTop = 10;
/// This many of the fastest schedules that the model ranked, and this many of the fastest random
/// ones, are measured again, with more samples.
constexpr int kFinalists = 3;
constexpr int kFinalSamples = 25;
/// At most this many schedules are drawn per wanted schedule, because small layers have few
/// distinct schedules.
constexpr int kMostDraws = 20;

/// Holds the schedules of one layer, compiled and checked. Schedules that failed have no kernel.
class LayerSchedules {
 public:
  LayerSchedules(const Problem& problem, const Machine& machine, const Options& options)
      : tensors_(merge_adjacent_dims(computation_of(problem)), options.seed),
        plan_(plan(problem, machine, options)) {
    const std::vector<Candidate> best = plan_.candidates;
    const Layout out = best.front().schedule.out;
    // The outputs to check are sampled without regard to tiles, because the loops of schedules of
    // strips and of Winograd convolutions do not match the dimensions of the tensors.
    spots_ = std::make_unique<SampledCheck>(tensors_, Nest{}, out, plan_.options);
    for (std::size_t i = 0; i < best.size(); ++i) add(best[i], static_cast<int>(i) + 1);
  }

  void draw(int schedules, std::mt19937& random) {
    const RandomSchedules space(plan_.problem, plan_.machine, plan_.options);
    int wanted = schedules;
    for (int i = 0; i < kMostDraws * schedules && wanted > 0 && !stop_requested(); ++i)
      if (add(space.draw(random), 0)) --wanted;
  }

  /// Times all schedules that have a kernel. Then times the fastest ones again with a second budget
  /// of equal size.
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
    const auto workload = [this](std::size_t row) {
      return workload_of(*kernels_[row], plan_.options.regime);
    };
    return measure_interleaved(mapped(rows, workload), instruments, options);
  }

  std::vector<std::size_t> fastest_of_each() const {
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < rows_.size(); ++i)
      if (rows_[i].counts()) order.push_back(i);
    std::ranges::sort(order, {}, [this](std::size_t row) {
      return rows_[row].candidate.measurement->median_seconds;
    });
    int model = 0, random = 0;
    std::erase_if(order, [&](std::size_t row) {
      return (rows_[row].rank > 0 ? model : random)++ >= kFinalists;
    });
    return order;
  }

  /// Compiles and checks a schedule unless it was added before. Returns true when the schedule is
  /// new and can be timed.
  bool add(const Candidate& candidate, int rank) {
    if (!seen_.insert(to_string(candidate.schedule)).second) return false;
    rows_.push_back(
        {.layer = name_of(plan_.problem), .rank = rank, .candidate = candidate, .note = ""});
    kernels_.push_back(nullptr);
    try {
      plan_.candidates = {candidate};
      auto bound = std::make_unique<AttachedKernel>(compile(plan_), tensors_);
      const Check check = spots_->check(*bound);
      if (check.passed())
        kernels_.back() = std::move(bound);
      else
        rows_.back().note = failure_text(check);
    } catch (const Error& error) {  // For example, a tile does not fit the blocks of the layout.
      rows_.back().note = error.what();
    }
    return kernels_.back() != nullptr;
  }

  Tensors tensors_;
  Plan plan_;  ///< While a schedule is compiled, it is the only candidate of this plan.
  std::unique_ptr<SampledCheck> spots_;
  std::vector<RankingRow> rows_;
  /// Holds the kernel of each row, or null.
  std::vector<std::unique_ptr<AttachedKernel>> kernels_;
  std::set<std::string> seen_;
};

StudyHead head_of(const Machine& machine, const StudyOptions& options,
                  const std::vector<std::string>& levels) {
  const std::string conditions = joined(
      "# ", in_words(options.planning.regime), ", weights packed before, 1 thread, algorithm ",
      to_string(options.planning.algorithm), "; seed ", options.seed, ", ", options.schedules,
      " schedules drawn at random, the model's best ", kModelTop, ", ", options.budget_seconds,
      " s per layer\n");
  return study_head("ranking", machine, options, conditions, ranking_columns(levels));
}

std::string times_line(double prepared, const RunnerResult& result) {
  return joined(std::setprecision(3), "  prepared in ", prepared, " s, measured in ",
                result.seconds, " s, of these ", result.waiting_seconds,
                " s waiting for a quiet core\n");
}

/// Returns the model's schedules of a layer. If the layer cannot be planned or prepared, for
/// example with the algorithm of the options, prints the reason and returns null.
std::unique_ptr<LayerSchedules> schedules_of(const Problem& problem, const Machine& machine,
                                             const StudyOptions& options, StudyFolder& folder) {
  Options planning = options.planning;
  planning.top = kModelTop;
  planning.seed = options.seed;
  try {
    return std::make_unique<LayerSchedules>(problem, machine, planning);
  } catch (const Error& error) {
    folder.say(name_of(problem) + " left out: " + error.what() + "\n");
    return nullptr;
  }
}

/// Returns the rows of one layer, and a line with the times of preparing, since `start`, and of
/// measuring.
std::pair<std::vector<RankingRow>, std::string> measure_layer(LayerSchedules& schedules,
                                                              const StudyOptions& options,
                                                              Instruments& instruments,
                                                              double start) {
  std::mt19937 random(static_cast<std::mt19937::result_type>(options.seed));
  schedules.draw(options.schedules, random);
  const double prepared = instruments.clock() - start;
  const RunnerResult measured = schedules.measure(
      instruments,
      {.budget_seconds = options.budget_seconds, .seed = options.seed, .stop = stop_requested});
  return {schedules.rows(), times_line(prepared, measured)};
}

/// Prints the totals of all layers. Throws Error if there are no layers and the user asked for no
/// stop.
void say_totals(const std::vector<LayerRanking>& layers, StudyFolder& folder) {
  if (!layers.empty()) return folder.say(ranking_totals(layers));
  if (!stop_requested()) throw Error("study: ranking of no layer; at least one must be possible");
}

}  // namespace

void study_ranking(const Machine& machine, const StudyOptions& options, const Print& print) {
  if (options.layers.empty()) throw Error("layers: none; must be at least one");
  require_sense(options);
  const std::vector<std::string> levels = mapped(machine.caches, &CacheLevel::name);
  const StudyHead head = head_of(machine, options, levels);
  StudyFolder folder(options, print);
  StudyTable table(folder.path("ranking.csv"), head, options.resume);
  const PinnedThread pinned;
  Instruments instruments = make_instruments(machine.vector.isa);
  folder.say(head.facts + head.date +
             "regret: measured time over that of the best schedule known, - 1\n" + ranking_head());
  const auto fields_of_row = [&](const RankingRow& row) { return to_fields(row, levels); };
  std::vector<LayerRanking> layers;
  std::set<std::string> done;
  for (const Problem& problem : options.layers) {
    const std::string name = name_of(problem);
    if (!done.insert(name).second) continue;
    folder.show(done.size() - 1, options.layers.size());
    std::vector<RankingRow> rows = mapped(
        table.rows(name), [&](const StudyRow& fields) { return read_ranking_row(fields, levels); });
    std::string times;
    if (rows.empty()) {
      const double start = instruments.clock();
      const auto schedules = schedules_of(problem, machine, options, folder);
      if (schedules == nullptr) continue;
      std::tie(rows, times) = measure_layer(*schedules, options, instruments, start);
      if (stop_requested()) break;
      folder.write("ranking-" + file_part(name) + ".svg",
                   ranking_svg(rows, conditions_title(machine)));
      // The table is written after the other files of a layer, because a layer counts as complete
      // when it is in the table.
      table.add(mapped(rows, fields_of_row));
    }
    layers.push_back(ranking_of(rows));
    folder.say(ranking_line(layers.back()) + left_out_lines(rows) + times);
  }
  say_totals(layers, folder);
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
