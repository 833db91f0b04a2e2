// SPDX-License-Identifier: Apache-2.0
// This file chooses and checks kernels, measures them in pairs, and writes the results of each
// product.
#include <algorithm>

#include "integers.h"
#include "mapped.h"
#include "one_tile.h"
#include "packing.h"
#include "plot.h"
#include "schedule_evaluator.h"
#include "studies.h"
#include "text_table.h"
#include "tileplan/error.h"
#include "tileplan/verify.h"

namespace tileplan {

namespace {

/// The choice of each of our four schedules may take this share of a product's time.
constexpr double kChoiceShare = 0.12;
/// At most this many schedules of each kernel are measured, and the fastest is chosen.
constexpr int kPlanTop = 10;
/// These are our kernels. The last one reads B that was packed before. The others take plain
/// matrices, as the peers do.
constexpr const char* kOurs[] = {"combinations", "partial tile", "padding", "B packed before"};
constexpr const char* kColumns =
    "problem,multiplied by,seconds,share of peak,ratio,ratio low,ratio high,pairs,note,schedule";
constexpr std::size_t kProblem = 0, kWho = 1, kSeconds = 2, kShare = 3, kRatio = 4, kLow = 5,
                      kHigh = 6, kPairs = 7, kNote = 8;

Plan plan_of_all(const GemmShape& shape, const Machine& machine,
                 const std::vector<Schedule>& schedules) {
  Plan plan = plan_of(shape, machine, schedules.front());
  plan.candidates = mapped(schedules, [&](const Schedule& schedule) {
    return plan_of(shape, machine, schedule).candidates.front();
  });
  return plan;
}

Plan choose(Plan plan, const StudyOptions& options) {
  plan.options.verify = kPlanTop;
  plan.options.budget_seconds = kChoiceShare * options.budget_seconds;
  plan.options.seed = options.seed;
  return verify(std::move(plan));
}

struct OurRun {
  OurRun(const Plan& plan, std::uint64_t seed)
      : tensors(plan.problem, seed), trial(compile(plan), tensors) {}

  std::string schedule() const { return to_string(trial.kernel().schedule()); }

  Tensors tensors;
  AttachedKernel trial;
};

/// Compares our first kernel (kOurs) in pairs with our other kernels, which have operands of their
/// own, and with peers, which compute the same product from the operands of the first kernel.
class ProductComparison {
 public:
  ProductComparison(const GemmShape& shape, const Machine& machine, const StudyOptions& options)
      : shape_(shape),
        machine_(machine),
        options_(options),
        ours_(choose(planned(WeightsChoice::plain), options), options.seed),
        instruments_(make_instruments(machine.vector.isa)) {
    ours_.trial.run_from_start();
  }

  void add_tiles(const GemmShape& shape, RegisterTile tile, const std::string& name) {
    const Computation computation = computation_of(shape);
    std::vector<Schedule> schedules;
    for (const Schedule& tiled : tiled_schedules(shape, tile, machine_.vector.lanes))
      for (Schedule& form : plain_weights_forms(computation, machine_.vector, tiled))
        schedules.push_back(std::move(form));
    add_ours(plan_of_all(shape, machine_, schedules), name);
  }

  void add_packed_before(const std::string& name) {
    add_ours(planned(WeightsChoice::packed), name);
  }

  void add_peer(const GemmPeer& peer) {
    Buffer& output = outputs_.emplace_back(static_cast<std::size_t>(shape_.m * shape_.n));
    Side side{.name = peer.name};
    try {
      side.workload.run = peer.bind(shape_, {.a = ours_.tensors.input(Layout::plain).span(),
                                             .b = ours_.tensors.weights().span(),
                                             .c = output.span()});
      side.workload.run();
      side.failure = failure_text(compare_results(
          ours_.tensors.computation(), output.values(),
          ours_.tensors.plain_output(ours_.trial.kernel().schedule().out).values()));
    } catch (const Error& error) {
      side.failure = error.what();
    }
    sides_.push_back(std::move(side));
  }

  /// Returns the rows of the table. Our rows come first. `peak` is in flop/s. Throws Error when our
  /// first kernel computes a wrong result.
  std::vector<StudyRow> measure(double seconds, double peak) {
    const std::string name = to_string(shape_), wrong = failure_text(ours_.trial.check_all());
    if (!wrong.empty()) throw Error("smallgemm: " + name + ": our " + wrong);
    std::vector<StudyRow> rows{{name, kOurs[0], "", "", "", "", "", "0", "", ours_.schedule()}};
    std::vector<double> our_seconds;
    for (const Side& side : sides_) {
      rows.push_back({name, side.name, "", "", "", "", "", "0", side.failure, side.schedule});
      if (!side.failure.empty()) continue;
      const PairedResult pair =
          measure_pair(workload_of(ours_.trial, Regime::hot), side.workload, instruments_,
                       {.budget_seconds = seconds / static_cast<double>(sides_.size()),
                        .enough = options_.measurements,
                        .seed = options_.seed,
                        .stop = stop_requested});
      if (pair.first && pair.kept > 0) our_seconds.push_back(pair.first->median_seconds);
      take(pair, peak, rows.back());
    }
    if (our_seconds.empty())
      rows.front()[kNote] = "disturbed: no pair was kept";
    else
      set_time(median(our_seconds), peak, rows.front());
    return rows;
  }

 private:
  Plan planned(WeightsChoice weights) const {
    return plan(shape_, machine_, {.top = kPlanTop, .weights = weights});
  }

  void add_ours(Plan plan, const std::string& name) {
    OurRun& run = tiles_.emplace_back(choose(std::move(plan), options_), options_.seed);
    sides_.push_back({.name = name,
                      .workload = workload_of(run.trial, Regime::hot),
                      .failure = failure_text(run.trial.check_all()),
                      .schedule = run.schedule()});
  }

  struct Side {
    std::string name;
    Workload workload = {};
    std::string failure = {};
    std::string schedule = {};
  };

  void set_time(double seconds, double peak, StudyRow& row) const {
    row[kSeconds] = csv_number(seconds);
    row[kShare] = csv_number(flops(Problem(shape_)) / seconds / peak);
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
  const StudyOptions& options_;
  OurRun ours_;
  Instruments instruments_;
  std::deque<OurRun> tiles_;  ///< Elements of sides_ keep references to these runs.
  std::deque<Buffer> outputs_;
  std::vector<Side> sides_;
};

class SmallGemmStudy {
 public:
  SmallGemmStudy(const Machine& machine, const StudyOptions& options,
                 const std::vector<GemmPeer>& peers, const Print& print)
      : machine_(machine),
        options_(options),
        folder_(options, print),
        head_(head_of(machine, options, peers)),
        table_(folder_.path("smallgemm.csv"), head_, options.resume) {
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
    folder_.say(head_.facts + head_.date + "share of peak [%], and in brackets time over ours\n" +
                text_row(kTextColumns, "problem", names_));
    std::size_t done = 0;
    for (const Problem& problem : options_.layers) {
      folder_.show(done++, options_.layers.size());
      std::vector<StudyRow> rows = table_.rows(to_string(problem));
      if (rows.empty()) {
        rows = measure(std::get<GemmShape>(problem), peak);
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
  static constexpr TextColumns kTextColumns{.name = 14, .cell = 16};

  static StudyHead head_of(const Machine& machine, const StudyOptions& options,
                           const std::vector<GemmPeer>& peers) {
    std::string conditions = joined("# hot caches, 1 thread, adjacent pairs with our plan; seed ",
                                    options.seed, ", at most ", options.budget_seconds,
                                    " s per product, ", options.measurements, " pairs\n");
    for (const char* const ours : kOurs)
      conditions +=
          joined("# ", ours, ": timed are the product, and packing A and B where ",
                 "the schedule packs them", ours == kOurs[3] ? "; B is packed before" : "", '\n');
    for (const GemmPeer& peer : peers)
      conditions += joined(
          "# ", peer.name, ": ",
          peer.missing.empty() ? peer.version + ": timed are " + peer.timed : peer.missing, '\n');
    return study_head("smallgemm", machine, options, conditions, kColumns);
  }

  std::vector<StudyRow> measure(const GemmShape& shape, double peak) const {
    const Clock clock = steady_clock();
    const double start = clock();
    const RegisterTile tile = fastest_tile(shape, machine_);
    ProductComparison comparison(shape, machine_, options_);
    comparison.add_tiles(shape, tile, kOurs[1]);
    GemmShape padded = shape;
    padded.m = round_up(shape.m, tile.pixels);
    comparison.add_tiles(padded, tile, kOurs[2]);
    comparison.add_packed_before(kOurs[3]);
    for (const GemmPeer& peer : peers_) comparison.add_peer(peer);
    const double left = options_.budget_seconds - (clock() - start);
    return comparison.measure(std::max(left, kChoiceShare * options_.budget_seconds), peak);
  }

  static std::string line_of(const std::vector<StudyRow>& rows) {
    std::vector<std::string> cells;
    std::string notes;
    for (const StudyRow& row : rows) {
      std::string& cell = cells.emplace_back("-");
      if (!row[kShare].empty()) cell = decimals(std::stod(row[kShare]), 1, kPercent);
      if (!row[kRatio].empty()) cell += " (" + decimals(std::stod(row[kRatio]), 2) + ')';
      if (!row[kNote].empty()) notes += "  " + row[kWho] + ": " + row[kNote] + '\n';
    }
    return text_row(kTextColumns, rows.front()[kProblem], cells) + notes;
  }

  std::vector<double> values(const std::string& name, std::size_t column) const {
    std::vector<double> found;
    for (const StudyRow& row : all_)
      if (row[kWho] == name && !row[column].empty()) found.push_back(std::stod(row[column]));
    return found;
  }

  std::string totals() const {
    std::string text;
    for (const std::string& name : names_) {
      const std::vector<double> shares = values(name, kShare), ratios = values(name, kRatio);
      if (shares.empty()) continue;
      const auto [low, high] = std::ranges::minmax(shares);
      text += joined(
          name, ": share of peak ", decimals(low, 1, kPercent), " to ", decimals(high, 1, kPercent),
          " %, median ", decimals(median(shares), 1, kPercent), " % (", shares.size(), " products)",
          ratios.empty() ? "" : "; time over ours, median " + decimals(median(ratios), 3), '\n');
    }
    return text;
  }

  std::string plot() const {
    Plot plot{.titles = {.title = "C = A B" + conditions_title(machine_),
                         .x = "rows of A and C",
                         .y = "share of peak [%]"}};
    for (const std::string& name : names_) {
      PlotSeries series{.name = name};
      for (const StudyRow& row : all_)
        if (row[kWho] == name && !row[kShare].empty())
          series.points.push_back({static_cast<double>(parse_gemm(row[kProblem]).m),
                                   kPercent * std::stod(row[kShare])});
      if (!series.points.empty()) plot.series.push_back(std::move(series));
    }
    return plot_svg(plot);
  }

  const Machine& machine_;
  const StudyOptions& options_;
  StudyFolder folder_;
  const StudyHead head_;
  StudyTable table_;
  std::vector<GemmPeer> peers_;  ///< Lists the libraries that are compared, without missing ones.
  std::vector<std::string> names_;  ///< Lists the programs in the order of the columns.
  std::vector<StudyRow> all_;
};

}  // namespace

std::vector<Problem> small_products() {
  // The paper that studies.h names plots products with m from 8 to 50.
  constexpr int kFirst = 8, kLast = 50;
  std::vector<Problem> products;
  for (int rows = kFirst; rows <= kLast; ++rows)
    products.emplace_back(parse_gemm(joined("m", rows, "n128k128")));
  return products;
}

void study_smallgemm(const Machine& machine, const StudyOptions& options,
                     const std::vector<GemmPeer>& peers, const Print& print) {
  require_pairs(options);
  for (const Problem& problem : options.layers) {
    if (!std::holds_alternative<GemmShape>(problem))
      throw Error("smallgemm: " + to_string(problem) + "; must be a matrix product");
    fastest_tile(std::get<GemmShape>(problem), machine);
  }
  SmallGemmStudy(machine, options, peers, print).run();
}

}  // namespace tileplan
