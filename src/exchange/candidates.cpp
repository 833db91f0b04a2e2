// SPDX-License-Identifier: Apache-2.0
// This file plans, makes the pool of schedules, and chooses the best schedules with different
// memory traffic. Winograd schedules come from the plan directly.
#include "tileplan/candidates.h"

#include <algorithm>
#include <limits>
#include <tuple>

#include "candidate_pool.h"
#include "cores.h"
#include "cost.h"
#include "formats.h"
#include "list_variety.h"
#include "loop_extents.h"
#include "merge_dims.h"
#include "nest.h"
#include "option_rules.h"
#include "order_class.h"
#include "rank.h"
#include "tileplan/error.h"
#include "units.h"
#include "winograd_cost.h"

namespace tileplan {
namespace {

/// For each competitive layout, the pool gets on average this many times as many schedules with
/// different Volumes as the whole list has places, so that the list can be diverse.
constexpr std::size_t kPoolPerWanted = 2;
/// A pair of microkernel and order class gets at most 1 / kPairShares of the places of its layout,
/// or one place if that is less. The first of the other candidates then fill the places that are
/// left.
constexpr std::size_t kPairShares = 20;
/// No places are reserved for candidates that take more than this multiple of the fastest time.
constexpr double kSlow = 2;

ListedCandidate describe(Candidate candidate, const Machine& machine,
                         const Computation& computation, const OrderClasses& classes,
                         Capacity capacity) {
  ListedCandidate result;
  result.microkernel = microkernel_of(candidate.schedule);
  const std::vector<Tile> tiles =
      cached_tiles(computation, candidate.schedule, machine, {.capacity = capacity});
  for (const Tile& tile : tiles) result.tiles.push_back(loop_extents(computation, tile));
  result.order_class = order_class(computation, candidate.schedule, machine, classes, tiles);
  result.candidate = std::move(candidate);
  return result;
}

/// Maps each layout of a group of candidates with equal Volumes to the position of its fastest
/// candidate. If the first candidate of all is in the group, its layout is mapped to 0 instead.
using TieGroup = std::map<Layouts, std::size_t>;

std::map<Volumes, TieGroup> group_by_volumes(const std::vector<Candidate>& ranked) {
  std::map<Volumes, TieGroup> all;
  for (std::size_t i = 0; i < ranked.size(); ++i) {
    const auto [place, is_new] =
        all[volumes_of(ranked[i])].try_emplace(layouts_of(ranked[i].schedule), i);
    const bool is_faster = ranked[i].prediction.seconds < ranked[place->second].prediction.seconds;
    if (is_faster && place->second != 0) place->second = i;
  }
  return all;
}

/// Returns the candidate of `ties` to keep. The first of `ranked` is always kept. Otherwise, among
/// candidates that are about as fast as the fastest one, a layout is preferred that few kept
/// candidates have.
TieGroup::value_type representative(const TieGroup& ties, const std::vector<Candidate>& ranked,
                                    const std::map<Layouts, std::size_t>& taken) {
  const auto seconds = [&](const TieGroup::value_type& each) {
    return ranked[each.second].prediction.seconds;
  };
  const double fastest = seconds(*std::ranges::min_element(ties, {}, seconds));
  const auto merit = [&](const TieGroup::value_type& each) {
    const auto times = taken.find(each.first);
    const bool is_slower = seconds(each) > (1 + kTie) * fastest;
    return std::tuple(each.second != 0, is_slower, times == taken.end() ? 0 : times->second,
                      seconds(each));
  };
  return *std::ranges::min_element(ties, {}, merit);
}

/// Keeps one of all candidates with equal Volumes, because they move the same data. The result has
/// the order of `ranked`.
std::vector<Candidate> drop_equal_volumes(const std::vector<Candidate>& ranked) {
  std::map<Volumes, TieGroup> left = group_by_volumes(ranked);
  std::map<Layouts, std::size_t> taken;
  std::set<std::size_t> places;
  for (const Candidate& each : ranked) {
    const auto ties = left.find(volumes_of(each));
    if (ties == left.end()) continue;
    const auto [layouts, place] = representative(ties->second, ranked, taken);
    ++taken[layouts];
    places.insert(place);
    left.erase(ties);
  }
  std::vector<Candidate> kept;
  kept.reserve(places.size());
  for (const std::size_t place : places) kept.push_back(ranked[place]);
  return kept;
}

/// Returns the positions of at most `wanted` candidates in ascending order. Candidates that are not
/// slow (kSlow) are chosen first, within two limits: a competitive layout gets at most an equal
/// part of the places, and each pair of microkernel and order class in one layout at most
/// 1 / kPairShares of such a part, but always one place. Layouts that are not competitive have the
/// second limit only. The first of all other candidates fill the remaining places.
std::vector<std::size_t> choose(const std::vector<ListedCandidate>& ranked, std::size_t wanted,
                                const std::set<Layouts>& competitive) {
  const std::size_t part = (wanted + competitive.size() - 1) / competitive.size();
  const std::size_t share = std::max<std::size_t>(1, part / kPairShares);
  const auto seconds = [](const ListedCandidate& each) {
    return each.candidate.prediction.seconds;
  };
  const double slow = kSlow * seconds(*std::ranges::min_element(ranked, {}, seconds));
  std::map<Layouts, std::size_t> of_layout;
  std::map<std::tuple<Layouts, std::string, std::string>, std::size_t> of_pair;
  std::vector<std::size_t> first, others;
  for (std::size_t i = 0; i < ranked.size(); ++i) {
    const Layouts layouts = layouts_of(ranked[i].candidate.schedule);
    const bool is_due =
        seconds(ranked[i]) <= slow && (!competitive.contains(layouts) || of_layout[layouts] < part);
    const bool has_room =
        is_due && of_pair[{layouts, ranked[i].microkernel, ranked[i].order_class}]++ < share;
    if (has_room) ++of_layout[layouts];
    (has_room ? first : others).push_back(i);
  }
  first.resize(std::min(first.size(), wanted));
  others.resize(std::min(others.size(), wanted - first.size()));
  first.insert(first.end(), others.begin(), others.end());
  std::sort(first.begin(), first.end());
  return first;
}

/// Keeps only candidates with the instruction set and arithmetic (`isa` and `widen`) of the first
/// one, and resets both marks. The machine of the result has their unit as its vector unit, no
/// narrow unit, and as many cores as the plan has threads.
Plan keep_one_width(Plan plan) {
  const Schedule choice = plan.candidates.front().schedule;
  plan.machine = machine_for_schedule(choice, std::move(plan.machine));
  plan.machine.narrow.reset();
  plan.machine.cores = plan.options.threads;
  std::erase_if(plan.candidates, [&](const Candidate& each) {
    return each.schedule.isa != choice.isa || each.schedule.widen != choice.widen;
  });
  for (Candidate& each : plan.candidates) {
    each.schedule.isa.reset();
    each.schedule.widen = false;
  }
  return plan;
}

/// Drops candidates with layouts that the search tries for the best schedules only (loop_moves.h).
/// Tools that read lists have one layout for all activations.
void drop_mixed_layouts(Plan& plan, const Computation& computation) {
  std::erase_if(plan.candidates, [&](const Candidate& each) {
    const Dim vectorised = computation.dim(each.schedule.loops.back().dim);
    const std::vector<Layouts> tried =
        layouts_of(computation, plan.options.layout, plan.machine.vector, vectorised);
    return std::ranges::find(tried, layouts_of(each.schedule)) == tried.end();
  });
}

/// Returns the pool without schedules that the format cannot express, or with them if there are no
/// others. In the first case, counts the reasons for which schedules of the plan are refused.
std::vector<Candidate> usable_pool(const Plan& plan, const Computation& computation,
                                   std::size_t per_layout, const Refusal& refusal,
                                   std::map<std::string, int>& refused) {
  std::vector<Candidate> pool = candidate_pool(plan, computation, per_layout, refusal);
  if (pool.empty()) return candidate_pool(plan, computation, per_layout);
  for (const Candidate& each : plan.candidates)
    if (const auto why = refusal(computation, each.schedule)) ++refused[*why];
  return pool;
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

namespace {

CandidateList direct_candidates(const Problem& problem, const Machine& machine,
                                const Options& options, CandidateFormat format) {
  // The plan below gets other values of `top`, `verify` and `algorithm`, so these are checked here.
  check_options(options, machine, types_of(problem));
  Options all = options;
  all.algorithm = Algorithm::direct;
  all.top = std::numeric_limits<int>::max();
  all.verify = 0;
  Plan both = plan(problem, machine, all);
  const std::optional<Isa> isa = both.candidates.front().schedule.isa;
  const bool widen = both.candidates.front().schedule.widen;
  Plan found = keep_one_width(std::move(both));
  const StripLoops loops =
      strip_loops(problem, found.candidates.front().schedule, found.machine.vector);
  const Computation& computation = loops.strips;
  drop_mixed_layouts(found, computation);
  CandidateList list{.problem = problem, .machine = found.machine};
  const auto wanted = static_cast<std::size_t>(options.top);
  const std::vector<Candidate> pool =
      usable_pool(found, computation, kPoolPerWanted * wanted,
                  refusal_of(format, loops, found.machine), list.refused);
  const OrderClasses classes = order_classes(computation);
  std::vector<ListedCandidate> ranked;
  for (Candidate& candidate : drop_equal_volumes(pool))
    ranked.push_back(
        describe(std::move(candidate), found.machine, computation, classes, options.capacity));
  for (const std::size_t each : choose(ranked, wanted, competitive_layouts(found.candidates)))
    list.candidates.push_back(std::move(ranked[each]));
  for (ListedCandidate& each : list.candidates) {
    each.candidate.schedule.isa = isa;
    each.candidate.schedule.widen = widen;
  }
  return list;
}

ListedCandidate describe_winograd(const Candidate& candidate, const WinogradProblem& problem,
                                  const Machine& machine, Capacity capacity) {
  ListedCandidate result{.candidate = candidate, .microkernel = microkernel_of(candidate.schedule)};
  for (std::size_t at = 0; at < machine.caches.size(); ++at) {
    const Tile cut = winograd_cut(problem, candidate.schedule, machine, at, {.capacity = capacity});
    result.tiles.push_back(loop_extents(problem.products, cut));
    // A Winograd schedule has no order class, because its boxes hold transformed tiles.
    result.order_class += at == 0 ? "-" : "/-";
  }
  return result;
}

/// Lists the candidates of `plan` in their order. Requires that all are Winograd schedules.
std::vector<ListedCandidate> winograd_candidates(const Plan& plan) {
  std::vector<ListedCandidate> listed;
  Machine machine = plan.machine;
  machine.cores = plan.options.threads;
  for (const Candidate& each : plan.candidates)
    listed.push_back(
        describe_winograd(each, winograd_problem(plan.problem, *each.schedule.winograd, machine),
                          machine, plan.options.capacity));
  return listed;
}

/// Returns candidates of both algorithms, fastest first. Each algorithm gets half of the `wanted`
/// places, or more if the other has too few candidates. A single candidate is the fastest of all.
std::vector<ListedCandidate> merged(std::vector<ListedCandidate> direct,
                                    std::vector<ListedCandidate> winograd, std::size_t wanted) {
  const auto seconds = [](const ListedCandidate& each) {
    return each.candidate.prediction.seconds;
  };
  const std::size_t half = wanted > 1 ? wanted / 2 : 1;
  winograd.resize(std::min(winograd.size(), wanted - std::min(direct.size(), wanted - half)));
  if (wanted > 1) direct.resize(std::min(direct.size(), wanted - winograd.size()));
  direct.insert(direct.end(), std::make_move_iterator(winograd.begin()),
                std::make_move_iterator(winograd.end()));
  std::ranges::stable_sort(direct, {}, seconds);
  direct.resize(std::min(direct.size(), wanted));
  return direct;
}

}  // namespace

CandidateList candidates(const Problem& problem, const Machine& machine, const Options& options,
                         CandidateFormat format) {
  if (options.algorithm == Algorithm::direct)
    return direct_candidates(problem, machine, options, format);
  const bool has_direct = options.algorithm == Algorithm::any;
  CandidateList list = has_direct ? direct_candidates(problem, machine, options, format)
                                  : CandidateList{.problem = problem, .machine = machine};
  Options planned = options;
  planned.verify = 0;
  // A short list of both algorithms may hold direct schedules alone.
  if (has_direct) planned.top = std::numeric_limits<int>::max();
  Plan found = plan(problem, machine, planned);
  std::erase_if(found.candidates, [](const Candidate& each) { return !each.schedule.winograd; });
  if (!has_direct) list.machine = found.machine;
  const bool is_refused = format != CandidateFormat::jsonl;
  if (is_refused && !found.candidates.empty())
    list.refused["a Winograd convolution"] += static_cast<int>(found.candidates.size());
  if (has_direct && is_refused) return list;
  list.candidates = merged(std::move(list.candidates), winograd_candidates(found),
                           static_cast<std::size_t>(options.top));
  return list;
}

}  // namespace tileplan
