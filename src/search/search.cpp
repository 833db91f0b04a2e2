// SPDX-License-Identifier: Apache-2.0
// One search after the other, each with what the earlier ones found as a limit.
#include "search.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>

#include "exact.h"
#include "kernels.h"
#include "reduction.h"

namespace tileplan {

namespace {

/// Kernel combinations whose near-optimal schedules become candidates too, best compute first. The
/// others are searched for the optimum alone.
constexpr int kCombos = 24;
/// Of these the first keep many near-optimal schedules, the others few, which halves the time.
constexpr std::size_t kMany = 10;
constexpr SearchOptions kFew{.slack = 0.06, .keep = 3};
/// Tiles that all searches together may visit, each some 10 us. Layers of the papers' tables need
/// up to 3000; a search that is cut says so in the certificate.
constexpr std::int64_t kNodes = 8000;
/// Most that one of the combinations still to come takes, in even shares of what is left.
constexpr std::int64_t kShares = 4;

/// Kernel combinations whose cache tiles are also split unevenly, best first, and what each may
/// visit: a tenth of a plan's time.
constexpr std::size_t kSplit = 2;
constexpr SearchOptions kUneven{.slack = 0, .keep = 3, .most_nodes = 200, .splits = Splits::uneven};

/// Kernel combinations with vectors of pixels, and what each may visit.
constexpr int kPixelCombos = 10;
constexpr SearchOptions kPixels{.slack = 0.1, .keep = 4, .most_nodes = 200};

/// Combinations of two sizes along each of two dims must compute in this share of the least time
/// that others take.
constexpr double kWorthGrid = 0.98;

/// Kernels that are tried beside those searched, per vectorised dim, some 0.1 ms each; and of how
/// many they are the best, some 0.01 ms each. Of 264 schedules of small 3x3 layers, row by row, 3
/// are predicted more than 3 % faster than the plan, as with 48 kernels tried; without any, 52.
constexpr std::size_t kBeside = 8;
constexpr std::size_t kConsidered = 64;

/// Narrow vectors must compute in this share of the least time that wide ones take: beside a busy
/// sibling thread they lose 10 to 20 %, wide ones 2 to 5 (Zen 4, 2026-11-22).
constexpr double kWorthNarrow = 0.9;

/// The searches of one width of vectors.
class Searches {
 public:
  explicit Searches(const SweepSpace& space)
      : space_(space),
        dims_(vectorised_dims(space.computation, space.machine.vector.lanes)),
        layouts_(layouts_of(space.computation, space.options.layout, space.machine.vector)) {}

  Sweep all() {
    kernels();
    uneven();
    pixel_vectors();
    grids();
    beside();
    return std::move(found_);
  }

 private:
  SearchContext context(const KernelCombo& kernels) const {
    return {space_.computation, kernels, space_.classes, space_.machine, space_.options};
  }
  /// With vectors along `dim`; empty where none holds them.
  std::vector<Layouts> layouts(Dim dim) const {
    return layouts_of(space_.computation, space_.options.layout, space_.machine.vector, dim);
  }
  SearchResult searched(const KernelCombo& kernels, SearchOptions limits) const {
    limits.capacity = space_.options.capacity;
    return exact_search(space_.computation, kernels, space_.classes, space_.machine, limits);
  }
  void note_compute(const KernelCombo& tried) {
    const double share = array_share(space_.computation, tried.vectorised);
    least_compute_ = std::min(least_compute_, share * tried.compute_seconds);
  }
  void search(const KernelCombo& kernels, std::size_t left, SearchOptions limits);
  void kernels();
  void uneven();
  void pixel_vectors();
  void grids();
  void beside();

  SweepSpace space_;
  std::vector<Dim> dims_;
  std::vector<Layouts> layouts_;  ///< of the first of the dims
  Sweep found_;
  /// Of one core in any calls tried, vectors of pixels too, of steps that read the array.
  double least_compute_ = std::numeric_limits<double>::infinity();
};

/// Searches `kernels`, of which `left` more follow, and scores what was found.
void Searches::search(const KernelCombo& kernels, std::size_t left, SearchOptions limits) {
  const std::int64_t nodes = std::max<std::int64_t>(0, kNodes - found_.record.nodes());
  limits.most_nodes = std::min(nodes, kShares * nodes / static_cast<std::int64_t>(left + 1) + 1);
  limits.incumbent = found_.record.optimum();
  const SearchResult result = searched(kernels, limits);
  found_.record.add(kernels, result);
  found_.kernels.push_back(kernels);
  note_compute(kernels);
  append_concrete(found_.candidates, context(kernels), result, layouts_);
}

void Searches::kernels() {
  const std::vector<KernelCombo> few = kernel_combos(space_.computation, space_.machine, kCombos);
  for (std::size_t i = 0; i < few.size(); ++i)
    search(few[i], few.size() - i - 1, i < kMany ? SearchOptions{} : kFew);
  KernelSpace rest =
      kernels_below(space_.computation, space_.machine, found_.record.optimum(), dims_.front());
  std::erase_if(rest.below, [&](const KernelCombo& each) {
    return std::any_of(few.begin(), few.end(), [&](const KernelCombo& other) {
      return other.base == each.base && other.compute_seconds <= each.compute_seconds;
    });
  });
  for (std::size_t i = 0; i < rest.below.size(); ++i)
    search(rest.below[i], rest.below.size() - i - 1, {.slack = 0, .keep = 1});
  found_.record.set_all_kernels(rest.all);
}

/// The kernels of the best schedules again, their cache tiles split unevenly.
void Searches::uneven() {
  std::vector<KernelCombo> best;
  for (const SearchRecord::Entry& entry : found_.record.best()) {
    if (best.size() == kSplit) break;
    if (std::find(best.begin(), best.end(), entry.kernels) == best.end())
      best.push_back(entry.kernels);
  }
  for (const KernelCombo& kernels : best) {
    if (!has_uneven_splits(space_.computation, kernels, space_.machine.vector.lanes)) continue;
    SearchOptions limits = kUneven;
    limits.incumbent = found_.record.optimum();
    const SearchResult result = searched(kernels, limits);
    found_.record.add_uneven(kernels, result);
    append_uneven(found_.candidates, context(kernels), result, layouts_);
  }
}

/// The band model knows nothing of the boxes that vectors of pixels need: they are no part of the
/// record.
void Searches::pixel_vectors() {
  for (const Dim dim : std::vector(dims_.begin() + 1, dims_.end())) {
    const std::vector<Layouts> layouts = this->layouts(dim);
    if (layouts.empty()) continue;
    // The band model counts all steps on one core, predictions only those that read the array, on
    // all cores.
    const double share = array_share(space_.computation, dim);
    for (const KernelCombo& kernels :
         kernel_combos(space_.computation, space_.machine, kPixelCombos, dim)) {
      SearchOptions limits = kPixels;
      limits.incumbent = found_.candidates.seconds * space_.machine.cores / share;
      append_concrete(found_.candidates, context(kernels), searched(kernels, limits), layouts);
      note_compute(kernels);
    }
  }
}

/// Combinations of two sizes along each of two dims, where their calls take less than all others:
/// without cache tiles, which blocks of whole extents do not leave room for.
void Searches::grids() {
  for (const Dim dim : dims_) {
    const std::vector<Layouts> layouts = this->layouts(dim);
    if (layouts.empty()) continue;
    const double below = kWorthGrid * least_compute_ / array_share(space_.computation, dim);
    for (const KernelCombo& kernels : grid_combos(space_.computation, space_.machine, below, dim))
      append_untiled(found_.candidates, context(kernels), layouts);
  }
}

/// Kernels left aside because their calls take longer, where predictions, which count what lies
/// between calls and the cores that have none, do not exclude them: without cache tiles.
void Searches::beside() {
  for (const Dim dim : dims_) {
    const std::vector<Layouts> layouts = this->layouts(dim);
    if (layouts.empty()) continue;
    const double below = found_.candidates.seconds / array_share(space_.computation, dim);
    std::vector<KernelCombo> dealt =
        dealt_below(space_.computation, space_.machine, below, dim, kConsidered);
    for (KernelCombo& kernels : dealt)
      kernels.compute_seconds += seconds_between_calls(context(kernels)) / space_.machine.cores;
    std::stable_sort(dealt.begin(), dealt.end(), [](const KernelCombo& a, const KernelCombo& b) {
      return a.compute_seconds < b.compute_seconds;
    });
    if (dealt.size() > kBeside) dealt.resize(kBeside);
    for (const KernelCombo& kernels : dealt)
      append_untiled(found_.candidates, context(kernels), layouts);
  }
}

/// Seconds of one core in the fastest calls that cover the problem with vectors along `dim`.
double fastest_calls(const Computation& computation, const Machine& machine, Dim dim) {
  double fastest = std::numeric_limits<double>::infinity();
  for (const KernelCombo& kernels : kernel_combos(computation, machine, 1, dim))
    fastest = std::min(fastest, array_share(computation, dim) * kernels.compute_seconds);
  return fastest;
}

/// Whether calls with vectors of `narrow` along some dim may beat all that was found, in `seconds`,
/// and those with wide ones along it.
bool may_be_faster(const Machine& narrow, const SweepSpace& space, double seconds) {
  const std::vector<Dim> dims = vectorised_dims(space.computation, narrow.vector.lanes);
  return std::any_of(dims.begin(), dims.end(), [&](Dim dim) {
    const double calls = fastest_calls(space.computation, narrow, dim);
    return calls <= kWorthNarrow * seconds * narrow.cores &&
           calls <= kWorthNarrow * fastest_calls(space.computation, space.machine, dim);
  });
}

/// The narrow unit, whose schedules compete with those found. False where it cannot be faster, or
/// only the rates of one unit were measured.
bool add_narrow(Candidates& candidates, const SweepSpace& space) {
  const Machine& machine = space.machine;
  if (!machine.narrow || machine.narrow->kernels.empty() != machine.kernels.empty()) return false;
  const Machine narrow = with_narrow_unit(machine);
  if (!has_layouts(space.computation, space.options.layout, narrow.vector) ||
      !may_be_faster(narrow, space, candidates.seconds))
    return false;
  Candidates more =
      Searches({space.computation, space.classes, narrow, space.options}).all().candidates;
  for (Candidate& each : more.ranked) each.schedule.isa = narrow.vector.isa;
  candidates.add(std::move(more));
  return true;
}

}  // namespace

Sweep sweep(const SweepSpace& space) {
  Sweep found = Searches(space).all();
  found.has_narrow = add_narrow(found.candidates, space);
  return found;
}

}  // namespace tileplan
