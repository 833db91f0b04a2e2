// SPDX-License-Identifier: Apache-2.0
// All cases on one thread are measured in turns. Only then are the model's choice and its rivals,
// and the choice and the peers, measured in pairs, because the fastest of many times is too low by
// chance.
#include "gemm_measurement.h"

#include <algorithm>
#include <cmath>
#include <deque>

#include "compile.h"
#include "gemm_ladder.h"
#include "peer_run.h"
#include "schedule_evaluator.h"
#include "tileplan/emit.h"
#include "tileplan/error.h"
#include "tileplan/verify.h"
#include "units.h"

namespace tileplan {
namespace {

/// The time of a product is divided by these shares among the cases, the cases on all cores, the
/// pairs of choices and rivals, and the steps. Peers get the rest.
constexpr double kCaseShare = 0.4, kParallelShare = 0.15, kRivalShare = 0.15, kStepShare = 0.1;
constexpr int kCaseSamples = 9;
/// Each choice is compared in pairs with at most this many cases that seemed faster.
constexpr std::size_t kRivals = 2;
/// The steps of larger squares are not measured, because those without vectors take seconds.
constexpr std::int64_t kLargestScalar = 512;

std::size_t c_bytes_of(const Plan& plan) {
  const Schedule& schedule = plan.candidates.front().schedule;
  const Isa isa = unit_of(schedule, plan.machine).isa;
  return emit_c(plan.problem, schedule, {.target = parse_target(to_string(isa))}).source.size();
}

std::optional<MedianInterval> interval_of(const std::optional<Measurement>& measured) {
  if (!measured || measured->kept == 0) return std::nullopt;
  return MedianInterval{measured->median_seconds, measured->low_seconds, measured->high_seconds};
}

/// Measures one product. All kernels and peers run on the same tensors.
class ProductMeasurement {
 public:
  ProductMeasurement(const GemmShape& shape, const Machine& machine, const StudyOptions& options,
                     double peak)
      : shape_(shape),
        machine_(machine),
        options_(options),
        peak_(peak),
        tensors_(Problem(shape), options.seed) {}

  void measure_cases() {
    const PinnedThread pinned;
    measure(gemm_cases(shape_, machine_), "case", kCaseShare, 1);
    for (const bool before : {false, true}) measure_rivals(before);
  }

  void measure_parallel() {
    if (machine_.cores > 1)
      measure(parallel_gemm_cases(shape_, machine_), "parallel", kParallelShare, machine_.cores);
  }

  void measure_steps() {
    if (shape_.m != shape_.n || shape_.n != shape_.k || shape_.m > kLargestScalar) return;
    const PinnedThread pinned;
    std::vector<Workload> workloads;
    std::vector<GemmRow> rows;
    Buffer c(static_cast<std::size_t>(shape_.m * shape_.n));
    const GemmOperands operands{tensors_.input(Layout::plain).span(), tensors_.weights().span(),
                                c.span()};
    for (const ScalarProduct& step : scalar_products()) {
      rows.push_back(row_for("step", {.variant = step.name}));
      workloads.push_back({.run = [this, step, operands] { step.run(shape_, operands); }});
    }
    add_vector_steps(rows, workloads);
    take_all(workloads, kStepShare, 1, rows);
  }

  /// Measures each peer in pairs with the choice that takes B in the peer's form, plain or packed.
  void measure_peers(const std::vector<std::string>& names) {
    const PinnedThread pinned;
    std::vector<std::pair<PeerRun, bool>> runs;
    for (const bool before : {false, true})
      for (const std::string& name : names) {
        // BLAS libraries take no packed B, so only oneDNN is compared here.
        if (before && name != "onednn") continue;
        const WeightsChoice weights = before ? WeightsChoice::packed : WeightsChoice::plain;
        try {
          for (PeerRun& run : peer_runs(name, shape_, tensors_, {.weights = weights}))
            runs.emplace_back(std::move(run), before);
        } catch (const Error& error) {
          rows_.push_back(row_for("peer", {.variant = name}));
          rows_.back().note = error.what();
        }
      }
    const double share = 1 - kCaseShare - kParallelShare - kRivalShare - kStepShare;
    for (auto& [run, before] : runs)
      measure_peer(run, before, share / static_cast<double>(runs.size()));
  }

  std::vector<GemmRow> rows() && { return std::move(rows_); }

 private:
  /// Holds a measured kernel, which can be measured again in pairs.
  struct Measured {
    const AttachedKernel* kernel = nullptr;
    std::size_t row = 0;
    bool is_choice = false;
  };

  GemmRow row_for(const std::string& role, GemmSetting setting) const {
    return {.problem = to_string(shape_), .role = role, .setting = std::move(setting)};
  }

  RunnerOptions limits(double share, int enough) const {
    return {.budget_seconds = share * options_.budget_seconds,
            .enough = enough,
            .seed = options_.seed,
            .stop = stop_requested};
  }

  bool is_before(const GemmRow& row) const { return row.setting.b == "packed before"; }

  void set_seconds(GemmRow& row, const std::optional<Measurement>& measured, int threads) const {
    row.seconds = interval_of(measured);
    if (row.seconds)
      row.share_of_peak = flops(Problem(shape_)) / row.seconds->median / (threads * peak_);
    else if (row.note.empty())
      row.note = "disturbed: no sample had a quiet core";
  }

  /// Measures `workloads` in turns and adds their rows.
  void take_all(const std::vector<Workload>& workloads, double share, int threads,
                std::vector<GemmRow> rows) {
    Instruments instruments = make_instruments(machine_.vector.isa, threads);
    const RunnerResult result =
        measure_interleaved(workloads, instruments, limits(share, kCaseSamples));
    for (std::size_t i = 0; i < rows.size(); ++i) {
      set_seconds(rows[i], result.series[i].measurement(), threads);
      rows_.push_back(std::move(rows[i]));
    }
  }

  /// Measures the kernels of `cases` in turns. A kernel with wrong results gets a note instead.
  void measure(const std::vector<GemmCase>& cases, const std::string& role, double share,
               int threads) {
    std::vector<Workload> workloads;
    std::vector<GemmRow> rows, failed;
    for (const GemmCase& each : cases) {
      GemmRow row = row_for(each.is_choice ? "choice" : role, each.setting);
      const Candidate& candidate = each.plan.candidates.front();
      row.predicted = candidate.prediction.seconds;
      row.schedule = to_string(candidate.schedule);
      row.code_bytes = code_bytes(each.plan);
      row.c_bytes = c_bytes_of(each.plan);
      const AttachedKernel& kernel = kernels_.emplace_back(compile(each.plan), tensors_);
      row.note = failure_of(each.plan, kernel);
      if (!row.note.empty()) {
        failed.push_back(std::move(row));
        continue;
      }
      if (threads == 1) measured_.push_back({&kernel, rows_.size() + rows.size(), each.is_choice});
      workloads.push_back(workload_of(kernel, Regime::hot));
      rows.push_back(std::move(row));
    }
    take_all(workloads, share, threads, std::move(rows));
    rows_.insert(rows_.end(), failed.begin(), failed.end());
  }

  std::string failure_of(const Plan& plan, const AttachedKernel& kernel) {
    const Schedule& schedule = plan.candidates.front().schedule;
    if (!check_)
      check_.emplace(tensors_, resolve(schedule, tensors_.computation(), machine_.vector.lanes),
                     schedule.out, plan.options);
    return failure_text(check_->check(kernel));
  }

  const Measured* choice(bool before) const {
    for (const Measured& each : measured_)
      if (each.is_choice && is_before(rows_[each.row]) == before) return &each;
    return nullptr;
  }

  double seconds_of(const Measured& each) const {
    const auto& seconds = rows_[each.row].seconds;
    return seconds ? seconds->median : INFINITY;
  }

  /// Measures the choice in pairs with up to kRivals of the fastest cases that seemed faster, among
  /// those with B packed before the measured time (`before`) or among all others.
  void measure_rivals(bool before) {
    const Measured* const chosen = choice(before);
    if (chosen == nullptr) return;
    std::vector<Measured> faster;
    for (const Measured& each : measured_)
      if (is_before(rows_[each.row]) == before && seconds_of(each) < seconds_of(*chosen))
        faster.push_back(each);
    std::ranges::sort(faster, {}, [&](const Measured& each) { return seconds_of(each); });
    if (faster.size() > kRivals) faster.resize(kRivals);
    for (const Measured& each : faster) {
      GemmRow row = rows_[each.row];
      row.role = "rival";
      take_pair(*chosen, workload_of(*each.kernel, Regime::hot), kRivalShare / (2 * kRivals), row);
      rows_.push_back(std::move(row));
    }
  }

  void measure_peer(const PeerRun& run, bool before, double share) {
    const Measured* const chosen = choice(before);
    if (chosen == nullptr) return;
    GemmRow row = row_for("peer", {.variant = run.kernel.library + ' ' + run.kernel.version,
                                   .a = "library",
                                   .b = before ? "packed before" : run.kernel.weights,
                                   .parallel = "none"});
    run.run();
    const Check check = check_->compare_with_first(run.plain_output());
    row.note = failure_text(check);
    if (row.note.empty()) take_pair(*chosen, workload_of(run, Regime::hot, tensors_), share, row);
    rows_.push_back(std::move(row));
  }

  void take_pair(const Measured& chosen, const Workload& other, double share, GemmRow& row) {
    Instruments instruments = make_instruments(machine_.vector.isa);
    const PairedResult pair = measure_pair(workload_of(*chosen.kernel, Regime::hot), other,
                                           instruments, limits(share, options_.measurements));
    row.ratio = pair.ratio;
    row.note = pair.disturbed;
    set_seconds(row, pair.second, 1);
  }

  /// Adds three steps with vectors: without_unrolling() of the choice without prefetches, the
  /// choice without prefetches, and the choice itself. All pack what the choice packs.
  void add_vector_steps(std::vector<GemmRow>& rows, std::vector<Workload>& workloads) {
    const Measured* const chosen = choice(false);
    if (chosen == nullptr) return;
    Schedule schedule = chosen->kernel->kernel().schedule();
    const auto add = [&](const char* name, const Schedule& step) {
      const Plan plan = plan_of(shape_, machine_, step);
      GemmRow row = row_for("step", {.variant = name});
      row.predicted = plan.candidates.front().prediction.seconds;
      row.schedule = to_string(step);
      row.code_bytes = code_bytes(plan);
      row.c_bytes = c_bytes_of(plan);
      workloads.push_back(workload_of(kernels_.emplace_back(compile(plan), tensors_), Regime::hot));
      rows.push_back(std::move(row));
    };
    const Schedule prefetched = schedule;
    schedule.prefetch = 0;
    schedule.ahead.reset();
    add("vectorised", without_unrolling(schedule));
    add("unrolled", schedule);
    add("prefetched", prefetched);
  }

  /// Returns `schedule` with loops over register tiles of one vector in place of its microkernel.
  /// Unrolled loops whose trip counts come from a list of blocks (lambda) stay unrolled.
  static Schedule without_unrolling(Schedule schedule) {
    for (Specifier& loop : schedule.loops)
      if (loop.kind == Kind::unroll && loop.count > 0) loop.kind = Kind::tile;
    std::stable_partition(schedule.loops.begin(), schedule.loops.end(), [](const Specifier& loop) {
      return loop.kind != Kind::unroll && loop.kind != Kind::vector;
    });
    return schedule;
  }

  const GemmShape& shape_;
  const Machine& machine_;
  const StudyOptions& options_;
  double peak_;
  Tensors tensors_;
  std::optional<SampledCheck> check_;
  std::deque<AttachedKernel> kernels_;  ///< Workloads keep references to these kernels.
  std::vector<Measured> measured_;
  std::vector<GemmRow> rows_;
};

}  // namespace

std::vector<GemmRow> measure_gemm_family(const GemmShape& shape, const Machine& machine,
                                         const StudyOptions& options,
                                         const std::vector<std::string>& peers, double peak) {
  ProductMeasurement product(shape, machine, options, peak);
  product.measure_cases();
  product.measure_parallel();
  product.measure_steps();
  product.measure_peers(peers);
  return std::move(product).rows();
}

}  // namespace tileplan
