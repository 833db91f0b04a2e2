// SPDX-License-Identifier: Apache-2.0
// Draw, check, measure, write: layer by layer.
#include "ranking.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <ctime>
#include <filesystem>
#include <limits>
#include <memory>
#include <random>
#include <set>
#include <sstream>

#include "bound_kernel.h"
#include "cost.h"
#include "expand_schedules.h"
#include "files.h"
#include "kernels.h"
#include "merge_dims.h"
#include "nest.h"
#include "random_sample.h"
#include "ranking_rows.h"
#include "ranking_summary.h"
#include "runner.h"
#include "study_table.h"
#include "tileplan/error.h"
#include "tileplan/plan.h"
#include "units.h"

namespace tileplan {

namespace {

using Say = std::function<void(const std::string&)>;

/// The model's schedules that are measured beside the random ones.
constexpr int kModelTop = 10;
/// Of the model's schedules and of the random ones, those that are measured again, with more
/// samples.
constexpr int kFinalists = 3;
constexpr int kFinalSamples = 25;
/// Draws per wanted schedule; small layers have fewer schedules than are asked for.
constexpr int kMostDraws = 20;
/// The only fact that may differ when a study goes on.
constexpr const char* kDate = "date";

/// Schedules of one layer, compiled and checked. Those that failed have no trial but a note.
class Contestants {
 public:
  Contestants(const Problem& problem, const Machine& machine, std::uint64_t seed)
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

  /// All that compiled, then the fastest once more, in up to as many seconds again.
  RunnerResult measure(Instruments& instruments, RunnerOptions options) {
    std::vector<std::size_t> all;
    for (std::size_t i = 0; i < rows_.size(); ++i)
      if (trials_[i]) all.push_back(i);
    RunnerResult result = time(all, instruments, options);
    for (std::size_t i = 0; i < all.size(); ++i)
      rows_[all[i]].candidate.measurement = result.series[i].measurement();
    options.enough = kFinalSamples;
    const std::vector<std::size_t> fastest = finalists();
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
      workloads.push_back({.run = [trial = trials_[row].get()] { trial->run(); }});
    return measure_interleaved(workloads, instruments, options);
  }

  /// The fastest rows of both origins.
  std::vector<std::size_t> finalists() const {
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

  /// Compiles and checks; true when it can be timed. A schedule that is there already is ignored.
  bool add(const Candidate& candidate, int rank) {
    if (!seen_.insert(to_string(candidate.schedule)).second) return false;
    rows_.push_back(
        {.layer = name_of(plan_.problem), .rank = rank, .candidate = candidate, .note = ""});
    trials_.push_back(nullptr);
    try {
      plan_.candidates = {candidate};
      auto trial = std::make_unique<BoundKernel>(compile(plan_), tensors_);
      const Check check = spots_->check(*trial);
      if (check.passed())
        trials_.back() = std::move(trial);
      else
        rows_.back().note = "wrong result: " + std::to_string(check.got) + " for output " +
                            std::to_string(check.worst_index) + ", expected " +
                            std::to_string(check.expected);
    } catch (const Error& error) {  // a layout whose blocks the loops cut: another draw
      rows_.back().note = error.what();
    }
    return trials_.back() != nullptr;
  }

  Tensors tensors_;
  Plan plan_;  ///< of the machine and the problem; its candidate is the one being compiled
  std::unique_ptr<SampledCheck> spots_;
  std::vector<RankingRow> rows_;
  std::vector<std::unique_ptr<BoundKernel>> trials_;  ///< of the rows
  std::set<std::string> seen_;
};

std::string today() {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  gmtime_r(&now, &utc);
  std::array<char, 16> date{};
  std::strftime(date.data(), date.size(), "%Y-%m-%d", &utc);
  return date.data();
}

std::string short_text(double number) {
  std::ostringstream text;
  text << number;
  return text.str();
}

RankingTable empty_table(const Machine& machine, const RankingOptions& options) {
  RankingTable table;
  table.facts = {
      {"machine", machine.name + ", " + std::to_string(machine.cores) + " cores"},
      {"calibrated", machine.calibrated.empty() ? "never" : machine.calibrated},
      {"program", options.version + ", compiler " + __VERSION__},
      {kDate, today()},
      {"regime", "hot caches, weights packed before, 1 thread"},
      {"seed", std::to_string(options.seed)},
      {"schedules", std::to_string(options.schedules) + " drawn at random, the model's best " +
                        std::to_string(kModelTop)},
      {"budget", short_text(options.budget_seconds) + " s per layer"}};
  for (const CacheLevel& cache : machine.caches) table.levels.push_back(cache.name);
  return table;
}

/// The table to go on with.
RankingTable open_table(const Machine& machine, const RankingOptions& options,
                        const std::filesystem::path& path) {
  RankingTable fresh = empty_table(machine, options);
  if (!std::filesystem::exists(path)) return fresh;
  if (!options.resume) throw Error(path.string() + " is there already; --resume goes on with it");
  RankingTable old =
      parse_ranking_csv(read_file(path, "the table of an earlier run"), path.string());
  if (old.facts.size() != fresh.facts.size() || old.levels != fresh.levels)
    throw Error(path.string() + ": has other columns; must be of this machine and version");
  for (std::size_t i = 0; i < old.facts.size(); ++i)
    if (old.facts[i].first != kDate && old.facts[i] != fresh.facts[i])
      throw Error(path.string() + ": its " + old.facts[i].first + " is '" + old.facts[i].second +
                  "'; must be '" + fresh.facts[i].second + "' to go on with it");
  return old;
}

std::vector<RankingRow> rows_of(const RankingTable& table, const std::string& layer) {
  std::vector<RankingRow> rows;
  for (const RankingRow& row : table.rows)
    if (row.layer == layer) rows.push_back(row);
  return rows;
}

/// Layers may be problem texts; what is neither letter nor digit becomes a dash.
std::string plot_name(std::string layer) {
  for (char& letter : layer)
    if (std::isalnum(static_cast<unsigned char>(letter)) == 0) letter = '-';
  return "ranking-" + layer + ".svg";
}

void require_sense(const RankingOptions& options) {
  if (options.layers.empty()) throw Error("layers: none; must be at least one");
  if (options.schedules < 1)
    throw Error("schedules: " + std::to_string(options.schedules) + "; must be at least 1");
  if (!(options.budget_seconds > 0))
    throw Error("budget: " + short_text(options.budget_seconds) + " seconds; must be positive");
}

/// The study of one folder.
class RankingStudy {
 public:
  RankingStudy(const Machine& machine, const RankingOptions& options, const Say& say)
      : machine_(machine),
        options_(options),
        say_(say),
        folder_(options.folder),
        table_(open_table(machine, options, folder_ / "ranking.csv")),
        instruments_(make_instruments(machine.vector.isa)) {}

  void run() {
    std::ostringstream head;
    for (const auto& [name, value] : table_.facts) head << name << ": " << value << '\n';
    head << "regret: measured time over that of the best schedule known, - 1\n" << ranking_head();
    add(head.str());
    std::vector<LayerRanking> layers;
    std::set<std::string> done;
    for (const Problem& problem : options_.layers) {
      const std::string name = name_of(problem);
      if (!done.insert(name).second) continue;
      std::vector<RankingRow> rows = rows_of(table_, name);
      const std::string times = rows.empty() ? measure(problem, rows) : "";
      layers.push_back(ranking_of(rows));
      add(ranking_line(layers.back()) + left_out_lines(rows) + times);
    }
    add(ranking_totals(layers));
  }

 private:
  /// Everything said so far is the summary, on disk as on the terminal.
  void add(const std::string& text) {
    summary_ += text;
    say_(text);
    atomic_write((folder_ / "summary.txt").string(), summary_);
  }

  /// Fills in the rows; how long it took.
  std::string measure(const Problem& problem, std::vector<RankingRow>& rows) {
    const double start = instruments_.clock();
    Contestants contestants(problem, machine_, options_.seed);
    std::mt19937 random(static_cast<std::mt19937::result_type>(options_.seed));
    contestants.draw(options_.schedules, random);
    const double prepared = instruments_.clock() - start;
    const RunnerResult result = contestants.measure(
        instruments_, {.budget_seconds = options_.budget_seconds, .seed = options_.seed});
    rows = contestants.rows();
    // The table goes last: what it lists is complete.
    atomic_write((folder_ / plot_name(rows.front().layer)).string(),
                 ranking_svg(rows, machine_.name + ", hot caches, 1 thread"));
    table_.rows.insert(table_.rows.end(), rows.begin(), rows.end());
    atomic_write((folder_ / "ranking.csv").string(), to_csv(table_));
    std::ostringstream times;
    times.precision(3);
    times << "  prepared in " << prepared << " s, measured in " << result.seconds << " s, of these "
          << result.waiting_seconds << " s waiting for a quiet core\n";
    return times.str();
  }

  const Machine& machine_;
  const RankingOptions& options_;
  const Say& say_;
  const std::filesystem::path folder_;
  RankingTable table_;
  const PinnedThread pinned_;
  Instruments instruments_;
  std::string summary_;
};

}  // namespace

void study_ranking(const Machine& machine, const RankingOptions& options, const Say& say) {
  require_sense(options);
  RankingStudy(machine, options, say).run();
}

}  // namespace tileplan
