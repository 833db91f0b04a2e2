// SPDX-License-Identifier: Apache-2.0
// Plan -> pool of schedules -> the best that differ in what they move.
#include "candidate_list.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <queue>
#include <set>
#include <tuple>
#include <utility>

#include "capacity.h"
#include "concrete.h"
#include "exact.h"
#include "flat.h"
#include "kernels.h"
#include "merged.h"
#include "neighbours.h"
#include "nest.h"
#include "orders.h"
#include "prefetches.h"
#include "rank.h"

namespace tileplan {

namespace {

/// Schedules in the pool for each one wanted, so that there is something to choose from.
constexpr std::size_t kPoolPerWanted = 2;
/// Neighbours that are predicted at most, each some 20 us.
constexpr int kMostPredictions = 6000;
/// One microkernel and order class gets this share of the list while others are left.
constexpr int kPairs = 20;

/// Whole bytes at every cache level.
using Volumes = std::vector<std::int64_t>;

Volumes volumes_of(const Candidate& candidate) {
  Volumes volumes;
  for (const LevelPrediction& level : candidate.prediction.levels)
    volumes.push_back(std::llround(level.bytes));
  return volumes;
}

bool has_blocks(const Schedule& schedule) {
  const auto blocked = [](Layout layout) {
    return layout == Layout::nChw16c || layout == Layout::nChw8c;
  };
  return blocked(schedule.in) || blocked(schedule.out);
}

bool sizes_register_tile(const Specifier& loop) {
  return loop.kind == Kind::lambda || loop.kind == Kind::unroll || loop.kind == Kind::vector;
}

std::string microkernel_of(const Schedule& schedule) {
  std::string text;
  for (const Specifier& loop : schedule.loops) {
    if (!sizes_register_tile(loop)) continue;
    if (!text.empty()) text += ' ';
    text += to_string(loop);
  }
  return text;
}

/// A schedule of the pool that can be expanded: first those that moved what none before them did,
/// then the fastest.
struct Open {
  bool moves_new = false;
  double seconds = 0;
  std::size_t place = 0;  ///< in the pool

  bool operator<(const Open& other) const {
    return std::tuple(moves_new, -seconds, other.place) <
           std::tuple(other.moves_new, -other.seconds, place);
  }
};

/// The best schedule of each of the fastest kernel combinations, near the best of all or not: what
/// is measured elsewhere need not agree with the model.
/// `machine`: with the cores that are used.
std::vector<Candidate> best_of_kernels(const Plan& plan, const Machine& machine) {
  constexpr int kCombos = 40;
  constexpr std::int64_t kNodes = 100;
  const Computation computation = merged(computation_of(plan.problem));
  const OrderClasses classes = order_classes(computation);
  const std::vector<Layouts> layouts = layouts_of(computation, plan.options.layout, machine.vector);
  SearchOptions limits{.slack = 0, .keep = 1, .most_nodes = kNodes};
  limits.rule.kind = plan.options.capacity;
  Candidates candidates;
  for (const KernelCombo& kernels : kernel_combos(computation, machine, kCombos))
    append_concrete(candidates, {computation, kernels, classes, machine, plan.options},
                    exact_search(computation, kernels, classes, machine, limits), layouts);
  return candidates.ranked;
}

/// Schedules, expanded one at a time; their microkernels take turns.
class Pool {
 public:
  Pool(const Plan& plan, const Computation& computation)
      : plan_(plan), computation_(computation), machine_(plan.machine) {
    machine_.cores = plan.options.threads;
    for (const Candidate& candidate : plan.candidates) add(candidate);
    for (Candidate& candidate : best_of_kernels(plan, machine_)) {
      candidate.prediction.bound_bytes = plan.candidates.front().prediction.bound_bytes;
      if (!open_.contains(microkernel_of(candidate.schedule))) keep(candidate);
    }
  }

  /// Expands until `wanted` differ in their volumes or nothing is left to expand.
  void grow(std::size_t wanted) {
    int predictions = 0;
    bool has_open = true;
    while (has_open) {
      has_open = false;
      for (auto& [microkernel, open] : open_) {
        if (volumes_.size() >= wanted || predictions >= kMostPredictions) return;
        if (open.empty()) continue;
        has_open = true;
        const std::size_t best = open.top().place;
        open.pop();
        predictions += expand(best);
      }
    }
  }

  /// All of them, best first.
  std::vector<Candidate> ranked() const {
    return best_first(candidates_, static_cast<int>(candidates_.size()));
  }

 private:
  /// Adds the neighbours of a schedule; how many were predicted.
  int expand(std::size_t place) {
    int predictions = 0;
    for (Schedule& next : neighbours(candidates_[place].schedule)) {
      if (!moved_.insert(to_string(next)).second) continue;
      Candidate candidate =
          with_prefetches({computation_, machine_, plan_.options.capacity}, std::move(next));
      candidate.prediction.bound_bytes = plan_.candidates.front().prediction.bound_bytes;
      ++predictions;
      add(candidate);
    }
    return predictions;
  }

  /// Also to be expanded.
  void add(const Candidate& candidate) {
    const std::size_t place = candidates_.size();
    const std::optional<bool> moves_new = keep(candidate);
    if (moves_new && !has_blocks(candidate.schedule))
      open_[microkernel_of(candidate.schedule)].push(
          {.moves_new = *moves_new, .seconds = candidate.prediction.seconds, .place = place});
  }

  /// Whether it moves what none before it did; nothing when it is in the pool already.
  std::optional<bool> keep(const Candidate& candidate) {
    if (!seen_.insert(to_string(candidate.schedule)).second) return std::nullopt;
    candidates_.push_back(candidate);
    return volumes_.insert(volumes_of(candidate)).second;
  }

  const Plan& plan_;
  const Computation& computation_;
  Machine machine_;
  std::vector<Candidate> candidates_;
  std::set<std::string> seen_;
  std::set<std::string> moved_;  ///< neighbours, before they are given prefetches
  std::set<Volumes> volumes_;
  std::map<std::string, std::priority_queue<Open>> open_;  ///< by microkernel
};

/// Dims of the active loops around what a cache holds, innermost first, each once.
std::vector<Dim> dims_around(const Nest& nest, const Tile& held, int dims) {
  const auto matches = [&](std::size_t place) {
    const Tile box = box_inside(nest, place);
    for (int d = 0; d < dims; ++d)
      if (box[Dim{d}] != 0 && box[Dim{d}] != held[Dim{d}]) return false;
    return true;
  };
  std::size_t place = 0;
  while (place < nest.loops.size() && !matches(place)) ++place;
  std::vector<Dim> around;
  while (place-- > 0) {
    const NestLoop& loop = nest.loops[place];
    const bool active = loop.is_lambda() || loop.trips > 1;
    if (active && std::find(around.begin(), around.end(), loop.dim) == around.end())
      around.push_back(loop.dim);
  }
  return around;
}

/// The class whose prefix and `around` agree as far as both go; for an order that moves more than
/// every class, its innermost dim in brackets.
std::string class_of(const OrderClasses& classes, const Computation& computation,
                     const std::vector<Dim>& around) {
  if (around.empty()) return "-";
  for (const OrderClass& each : classes.classes) {
    const std::size_t both = std::min(each.prefix.size(), around.size());
    if (std::equal(around.begin(), around.begin() + static_cast<std::ptrdiff_t>(both),
                   each.prefix.begin()))
      return each.name;
  }
  std::string dominated(1, '(');
  return dominated.append(computation.name(around.front())).append(1, ')');
}

ListedCandidate listed(Candidate candidate, const CandidateList& list,
                       const OrderClasses& classes) {
  ListedCandidate result;
  result.microkernel = microkernel_of(candidate.schedule);
  const Computation& computation = list.computation;
  const Nest nest = resolve(candidate.schedule, computation, list.machine.vector.lanes);
  for (const CacheLevel& cache : list.machine.caches) {
    const auto capacity =
        static_cast<std::int64_t>(usable_elements(cache, computation.element_bytes()));
    result.tiles.push_back(flat_traffic(computation, nest, capacity, CapacityRule::lru2).cut);
    if (!result.order_class.empty()) result.order_class += '/';
    const std::vector<Dim> around = dims_around(nest, result.tiles.back(), computation.dims());
    result.order_class += class_of(classes, computation, around);
  }
  result.candidate = std::move(candidate);
  return result;
}

/// Of those of `ranked` that move the same the fastest, in the order of `ranked`; the first stays.
std::vector<Candidate> one_per_volumes(std::vector<Candidate> ranked) {
  std::map<Volumes, std::size_t> fastest;
  const Volumes of_first = volumes_of(ranked.front());
  for (std::size_t i = 0; i < ranked.size(); ++i) {
    const auto place = fastest.try_emplace(volumes_of(ranked[i]), i).first;
    const bool is_faster = ranked[i].prediction.seconds < ranked[place->second].prediction.seconds;
    if (is_faster && place->first != of_first) place->second = i;
  }
  std::vector<Candidate> kept;
  for (std::size_t i = 0; i < ranked.size(); ++i)
    if (fastest.at(volumes_of(ranked[i])) == i) kept.push_back(std::move(ranked[i]));
  return kept;
}

/// `wanted` of `ranked`: of each microkernel and order class a share, then the others, all in the
/// order of `ranked`.
std::vector<std::size_t> chosen(const std::vector<ListedCandidate>& ranked, std::size_t wanted) {
  const std::size_t share = std::max<std::size_t>(1, wanted / kPairs);
  std::map<std::pair<std::string, std::string>, std::size_t> taken;
  std::vector<std::size_t> first, others;
  for (std::size_t i = 0; i < ranked.size(); ++i) {
    const bool has_room = taken[{ranked[i].microkernel, ranked[i].order_class}]++ < share;
    (has_room ? first : others).push_back(i);
  }
  first.resize(std::min(first.size(), wanted));
  others.resize(std::min(others.size(), wanted - first.size()));
  first.insert(first.end(), others.begin(), others.end());
  std::sort(first.begin(), first.end());
  return first;
}

}  // namespace

ListVariety variety_of(const CandidateList& list) {
  std::set<std::pair<std::string, std::string>> pairs;
  std::set<Volumes> volumes;
  for (const ListedCandidate& each : list.candidates) {
    pairs.emplace(each.microkernel, each.order_class);
    volumes.insert(volumes_of(each.candidate));
  }
  return {.pairs = static_cast<int>(pairs.size()),
          .same_volumes = static_cast<int>(list.candidates.size() - volumes.size())};
}

CandidateList candidate_list(const Problem& problem, const Machine& machine,
                             const Options& options) {
  Options all = options;
  all.top = std::numeric_limits<int>::max();
  all.verify = 0;
  const Plan found = plan(problem, machine, all);
  CandidateList list{.machine = found.machine,
                     .computation = computation_of(problem, found.candidates.front().schedule),
                     .candidates = {}};
  Pool pool(found, list.computation);
  const auto wanted = static_cast<std::size_t>(options.top);
  pool.grow(kPoolPerWanted * wanted);
  const OrderClasses classes = order_classes(list.computation);
  std::vector<ListedCandidate> ranked;
  for (Candidate& candidate : one_per_volumes(pool.ranked()))
    ranked.push_back(listed(std::move(candidate), list, classes));
  for (const std::size_t each : chosen(ranked, wanted))
    list.candidates.push_back(std::move(ranked[each]));
  return list;
}

}  // namespace tileplan
