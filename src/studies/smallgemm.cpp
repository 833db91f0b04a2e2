// SPDX-License-Identifier: Apache-2.0
// Choose, check, measure in pairs, write: shape by shape.
#include "smallgemm.h"

#include <algorithm>
#include <iomanip>
#include <memory>
#include <sstream>

#include "bound_kernel.h"
#include "compare.h"
#include "csv.h"
#include "line_plot.h"
#include "one_tile.h"
#include "records.h"
#include "runner.h"
#include "search_study.h"
#include "statistics.h"
#include "stop.h"
#include "study_table.h"
#include "tileplan/error.h"
#include "tileplan/plan.h"

namespace tileplan {

namespace {

/// Of the seconds of a shape, for choosing each of our three schedules; the rest is for the pairs.
constexpr double kChoiceShare = 0.15;
constexpr int kPlanTop = 10;  // schedules of the plan among which measuring chooses
constexpr const char* kOurs[] = {"combinations", "partial tile", "padding"};
constexpr const char* kColumns =
    "problem,multiplied by,seconds,share of peak,ratio,ratio low,ratio high,pairs,note,schedule";
/// Places of the fields in a row.
constexpr std::size_t kProblem = 0, kWho = 1, kSeconds = 2, kShare = 3, kRatio = 4, kLow = 5,
                      kHigh = 6, kPairs = 7, kNote = 8;

double flops_of(const GemmShape& shape) {
  return 2.0 * static_cast<double>(shape.m) * static_cast<double>(shape.n) *
         static_cast<double>(shape.k);
}

/// The plan whose candidates are `schedules`.
Plan plan_of_all(const GemmShape& shape, const Machine& machine,
                 const std::vector<Schedule>& schedules) {
  Plan plan = plan_of(shape, machine, schedules.front());
  for (std::size_t i = 1; i < schedules.size(); ++i)
    plan.candidates.push_back(plan_of(shape, machine, schedules[i]).candidates.front());
  return plan;
}

/// Moves the fastest candidate to the front.
Plan chosen(Plan plan, const SmallGemmOptions& options) {
  plan.options.verify = kPlanTop;
  plan.options.budget_seconds = kChoiceShare * options.budget_seconds;
  plan.options.seed = options.seed;
  return verify(std::move(plan));
}

/// A kernel of ours on matrices of its own.
class OurRun {
 public:
  OurRun(const Plan& plan, std::uint64_t seed)
      : tensors_(plan.problem, seed), trial_(compile(plan), tensors_) {}

  std::string schedule() const { return to_string(trial_.kernel().schedule()); }
  const BoundKernel& trial() const { return trial_; }
  Tensors& tensors() { return tensors_; }

 private:
  Tensors tensors_;
  BoundKernel trial_;
};

std::string failure_of(const Check& check) {
  if (check.passed()) return "";
  return "wrong result: " + std::to_string(check.got) + " for output " +
         std::to_string(check.worst_index) + "; must be " + std::to_string(check.expected);
}

/// One shape: who takes part and what they compute on.
class Match {
 public:
  Match(const GemmShape& shape, const Machine& machine, const SmallGemmOptions& options)
      : shape_(shape),
        machine_(machine),
        options_(options),
        ours_(chosen(plan(shape, machine, {.top = kPlanTop}), options), options.seed),
        instruments_(make_instruments(machine.vector.isa)) {
    ours_.trial().run_from_start();
  }

  void add_tiles(const GemmShape& shape, RegisterTile tile, const std::string& name) {
    const std::vector<Schedule> schedules = tiled_schedules(shape, tile, machine_.vector.lanes);
    tiles_.push_back(std::make_unique<OurRun>(
        chosen(plan_of_all(shape, machine_, schedules), options_), options_.seed));
    const OurRun& run = *tiles_.back();
    sides_.push_back({.name = name,
                      .workload = workload_of(run.trial(), Regime::hot),
                      .failure = failure_of(run.trial().check_all()),
                      .schedule = run.schedule()});
  }

  void add_peer(const GemmPeer& peer) {
    outputs_.push_back(std::make_unique<Buffer>(static_cast<std::size_t>(shape_.m * shape_.n)));
    Side side{.name = peer.name};
    try {
      side.workload.run = peer.bind(shape_, {.a = ours_.tensors().input(Layout::plain).span(),
                                             .b = ours_.tensors().weights().span(),
                                             .c = outputs_.back()->span()});
      side.workload.run();
      side.failure =
          failure_of(compare_results(ours_.tensors().computation(), outputs_.back()->values(),
                                     ours_.tensors().plain_output(layout()).values()));
    } catch (const Error& error) {
      side.failure = error.what();
    }
    sides_.push_back(std::move(side));
  }

  /// The rows of the table, ours first. `peak`: flop/s.
  std::vector<StudyRow> measure(double seconds, double peak) {
    const std::string wrong = failure_of(ours_.trial().check_all());
    if (!wrong.empty()) throw Error("smallgemm: " + to_string(shape_) + ": our " + wrong);
    std::vector<StudyRow> rows;
    std::vector<double> our_seconds;
    for (const Side& side : sides_) {
      rows.push_back(
          {to_string(shape_), side.name, "", "", "", "", "", "0", side.failure, side.schedule});
      if (!side.failure.empty()) continue;
      const PairedResult pair =
          measure_pair(workload_of(ours_.trial(), Regime::hot), side.workload, instruments_,
                       {.budget_seconds = seconds / static_cast<double>(sides_.size()),
                        .enough = options_.pairs,
                        .seed = options_.seed,
                        .stop = stop_requested});
      if (pair.first && pair.kept > 0) our_seconds.push_back(pair.first->median_seconds);
      take(pair, peak, rows.back());
    }
    StudyRow ours{to_string(shape_), kOurs[0], "", "", "", "", "", "0", "", ours_.schedule()};
    if (our_seconds.empty())
      ours[kNote] = "disturbed: no pair was kept";
    else
      set_time(median(our_seconds), peak, ours);
    rows.insert(rows.begin(), std::move(ours));
    return rows;
  }

 private:
  struct Side {
    std::string name;
    Workload workload = {};
    std::string failure = {};
    std::string schedule = {};
  };

  Layout layout() const { return ours_.trial().kernel().schedule().out; }

  void set_time(double seconds, double peak, StudyRow& row) const {
    row[kSeconds] = csv_number(seconds);
    row[kShare] = csv_number(flops_of(shape_) / seconds / peak);
  }

  void take(const PairedResult& pair, double peak, StudyRow& row) const {
    row[kPairs] = std::to_string(pair.kept);
    row[kNote] = pair.disturbed;
    if (!pair.ratio) return;
    set_time(pair.second->median_seconds, peak, row);
    row[kRatio] = csv_number(pair.ratio->median);
    row[kLow] = csv_number(pair.ratio->low);
    row[kHigh] = csv_number(pair.ratio->high);
  }

  const GemmShape& shape_;
  const Machine& machine_;
  const SmallGemmOptions& options_;
  OurRun ours_;
  Instruments instruments_;
  std::vector<std::unique_ptr<OurRun>> tiles_;
  std::vector<std::unique_ptr<Buffer>> outputs_;
  std::vector<Side> sides_;
};

/// The study of one folder.
class SmallGemmStudy {
 public:
  SmallGemmStudy(const Machine& machine, const SmallGemmOptions& options,
                 const std::vector<GemmPeer>& peers,
                 const std::function<void(const std::string&)>& say)
      : machine_(machine),
        options_(options),
        folder_(options.folder, say),
        head_(head_of(machine, options, peers)),
        table_(std::filesystem::path(options.folder) / "smallgemm.csv", head_, options.resume) {
    names_.assign(std::begin(kOurs), std::end(kOurs));
    for (const GemmPeer& peer : peers)
      if (peer.missing.empty()) {
        peers_.push_back(peer);
        names_.push_back(peer.name);
      }
  }

  void run() {
    const PinnedThread pinned;
    const double peak = measure_peak_flops(machine_.vector.isa);
    std::ostringstream heading;
    heading << head_.facts << head_.date << "share of peak [%], and in brackets time over ours\n"
            << std::setw(kNameWidth) << "problem";
    for (const std::string& name : names_) heading << std::setw(kCellWidth) << name;
    folder_.say(heading.str() + '\n');
    for (const GemmShape& shape : options_.shapes) {
      std::vector<StudyRow> rows = table_.rows(to_string(shape));
      if (rows.empty()) {
        rows = measured(shape, peak);
        if (stop_requested()) break;
        table_.add(rows);
      }
      folder_.say(line_of(rows));
      all_.insert(all_.end(), rows.begin(), rows.end());
    }
    if (all_.empty()) return;
    folder_.write("smallgemm.svg", plot());
    folder_.say(totals());
  }

 private:
  static constexpr int kNameWidth = 14, kCellWidth = 16;

  static StudyHead head_of(const Machine& machine, const SmallGemmOptions& options,
                           const std::vector<GemmPeer>& peers) {
    std::ostringstream facts, date;
    date << "# " << utc_time() << '\n';
    facts << study_facts("smallgemm", machine, options.version)
          << "# hot caches, 1 thread, adjacent pairs with our plan; ours read B packed before; "
             "peers pack in their time; seed "
          << options.seed << ", at most " << options.budget_seconds << " s per shape, "
          << options.pairs << " pairs\n";
    for (const GemmPeer& peer : peers)
      facts << "# " << peer.name << ": " << (peer.missing.empty() ? peer.version : peer.missing)
            << '\n';
    return {.facts = facts.str(), .date = date.str(), .columns = kColumns};
  }

  std::vector<StudyRow> measured(const GemmShape& shape, double peak) const {
    const Clock clock = steady_clock();
    const double start = clock();
    const RegisterTile tile = fastest_tile(shape, machine_);
    Match match(shape, machine_, options_);
    match.add_tiles(shape, tile, kOurs[1]);
    match.add_tiles(padded_to(shape, tile), tile, kOurs[2]);
    for (const GemmPeer& peer : peers_) match.add_peer(peer);
    const double left = options_.budget_seconds - (clock() - start);
    return match.measure(std::max(left, kChoiceShare * options_.budget_seconds), peak);
  }

  static std::string line_of(const std::vector<StudyRow>& rows) {
    std::ostringstream line;
    line << std::fixed << std::setw(kNameWidth) << rows.front()[kProblem];
    for (const StudyRow& row : rows) {
      std::ostringstream cell;
      cell << std::fixed << std::setprecision(1);
      if (row[kShare].empty())
        cell << '-';
      else
        cell << 100 * std::stod(row[kShare]);
      if (!row[kRatio].empty())
        cell << " (" << std::setprecision(2) << std::stod(row[kRatio]) << ')';
      line << std::setw(kCellWidth) << cell.str();
    }
    line << '\n';
    for (const StudyRow& row : rows)
      if (!row[kNote].empty()) line << "  " << row[kWho] << ": " << row[kNote] << '\n';
    return line.str();
  }

  /// What `column` says of `name` over all shapes, leaving out those without it.
  std::vector<double> values(const std::string& name, std::size_t column) const {
    std::vector<double> found;
    for (const StudyRow& row : all_)
      if (row[kWho] == name && !row[column].empty()) found.push_back(std::stod(row[column]));
    return found;
  }

  std::string totals() const {
    std::ostringstream text;
    text << std::fixed;
    for (const std::string& name : names_) {
      const std::vector<double> shares = values(name, kShare), ratios = values(name, kRatio);
      if (shares.empty()) continue;
      const auto [low, high] = std::minmax_element(shares.begin(), shares.end());
      text << name << ": share of peak " << std::setprecision(1) << 100 * *low << " to "
           << 100 * *high << " %, median " << 100 * median(shares) << " % (" << shares.size()
           << " shapes)";
      if (!ratios.empty())
        text << "; time over ours, median " << std::setprecision(3) << median(ratios);
      text << '\n';
    }
    return text.str();
  }

  std::string plot() const {
    LinePlot plot{.title = "C = A B, " + machine_.name + ", hot caches, 1 thread",
                  .x_title = "rows of A and C",
                  .y_title = "share of peak [%]"};
    for (const std::string& name : names_) {
      LineSeries series{.name = name, .points = {}};
      for (const StudyRow& row : all_)
        if (row[kWho] == name && !row[kShare].empty())
          series.points.push_back(
              {static_cast<double>(parse_gemm(row[kProblem]).m), 100 * std::stod(row[kShare])});
      if (!series.points.empty()) plot.series.push_back(std::move(series));
    }
    return line_plot_svg(plot);
  }

  const Machine& machine_;
  const SmallGemmOptions& options_;
  StudyFolder folder_;
  const StudyHead head_;
  StudyTable table_;
  std::vector<GemmPeer> peers_;     ///< those that can be used
  std::vector<std::string> names_;  ///< ours and theirs, order of the columns
  std::vector<StudyRow> all_;
};

}  // namespace

std::vector<GemmShape> small_shapes() {
  constexpr int kFirst = 8, kLast = 50;  // TACO's figure (algorithms: J = K = 128)
  std::vector<GemmShape> shapes;
  for (int rows = kFirst; rows <= kLast; ++rows) {
    GemmShape& shape = shapes.emplace_back(parse_gemm("m1n128k128"));
    shape.m = rows;
  }
  return shapes;
}

void study_smallgemm(const Machine& machine, const SmallGemmOptions& options,
                     const std::vector<GemmPeer>& peers,
                     const std::function<void(const std::string&)>& say) {
  if (options.shapes.empty()) throw Error("shapes: none; must be at least one");
  if (options.pairs < kFewestPairs)
    throw Error("pairs: " + std::to_string(options.pairs) + "; must be at least " +
                std::to_string(kFewestPairs));
  if (!(options.budget_seconds > 0)) throw Error("budget: must be more than 0 seconds");
  for (const GemmShape& shape : options.shapes) fastest_tile(shape, machine);
  SmallGemmStudy(machine, options, peers, say).run();
}

}  // namespace tileplan
