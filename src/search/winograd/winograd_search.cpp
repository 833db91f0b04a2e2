// SPDX-License-Identifier: Apache-2.0
// Choices are predicted in the order of their bounds, until the bounds exceed the best prediction
// by more than kSlack or kMostPredicted choices of an algorithm are predicted.
#include "winograd_search.h"

#include <algorithm>
#include <array>
#include <cstdio>

#include "branches.h"
#include "contexts.h"
#include "layouts.h"
#include "next_tile_prefetch.h"
#include "prefetches.h"
#include "winograd_algorithms.h"
#include "winograd_choices.h"
#include "winograd_rules.h"

namespace tileplan {
namespace {

/// Limits the choices of one algorithm that are predicted, each in some 10 us.
constexpr std::int64_t kMostPredicted = 400;
/// Algorithms and choices whose bound is within this share of the best prediction are searched, so
/// that the list of candidates has several near the optimum.
constexpr double kSlack = 0.05;
/// Limits the best choices of an algorithm that become candidates, each in every layout.
constexpr std::size_t kKept = 6;

std::string short_number(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.3g", value);
  return text.data();
}

class AlgorithmSearch {
 public:
  AlgorithmSearch(const WinogradProblem& problem, const Machine& machine, const Options& options,
                  WinogradResults& results)
      : problem_(problem),
        machine_(machine),
        results_(results),
        costs_(problem.products, machine, options) {}

  /// Adds the best choices in each of `layouts`. Returns the least prediction of the candidates
  /// that were added, or infinity if no choice was predicted.
  double run(const std::vector<Layouts>& layouts, double best) {
    std::vector<WinogradChoice> choices = winograd_choices(problem_, machine_, kMostSlack * best);
    results_.choices += static_cast<std::int64_t>(choices.size());
    std::vector<Candidate> found = predict_best(choices, layouts.front(), best);
    for (const Candidate& one : found) add(with_prefetches(one.schedule), layouts);
    return least_;
  }

 private:
  static constexpr double kMostSlack = 1 + kSlack;

  std::vector<Candidate> predict_best(const std::vector<WinogradChoice>& choices,
                                      const Layouts& layouts, double best) {
    std::vector<Candidate> found;
    std::int64_t predicted = 0;
    for (const WinogradChoice& choice : choices) {
      if (choice.least_seconds > kMostSlack * best) break;
      if (predicted == kMostPredicted) {
        results_.complete = false;
        break;
      }
      ++predicted;
      found.push_back(predict(choice, layouts));
      best = std::min(best, found.back().prediction.seconds);
    }
    results_.predicted += predicted;
    std::ranges::stable_sort(found, {},
                             [](const Candidate& each) { return each.prediction.seconds; });
    if (found.size() > kKept) found.resize(kKept);
    return found;
  }

  Candidate predict(const WinogradChoice& choice, const Layouts& layouts) const {
    Schedule schedule = schedule_of(problem_, choice, machine_.vector.lanes, machine_.cores);
    schedule.in = layouts.in;
    schedule.out = layouts.out;
    return predict(std::move(schedule));
  }

  Candidate predict(Schedule schedule) const {
    Prediction prediction = predict_winograd(problem_, schedule, machine_, costs_.rules);
    return {.schedule = std::move(schedule), .prediction = std::move(prediction)};
  }

  Candidate with_prefetches(Schedule schedule) const {
    const Nest nest = resolve(schedule, problem_.products, machine_.vector.lanes);
    schedule.prefetch = product_prefetch_distance(costs_, branches_of(nest).front().nest);
    schedule.ahead = next_weights(schedule, nest);
    return predict(std::move(schedule));
  }

  /// Adds `candidate` in each of `layouts` with the same prediction and, if a link bounds it, also
  /// without its prefetches of weights (`ahead`). Only the prediction of nchw differs, and a list
  /// with nchw has no other layout.
  void add(Candidate candidate, const std::vector<Layouts>& layouts) {
    const bool may_differ = candidate.schedule.ahead && is_bound_by_link(candidate.prediction);
    for (const Layouts& each : layouts) {
      candidate.schedule.in = each.in;
      candidate.schedule.out = each.out;
      keep(candidate);
      if (!may_differ) continue;
      // The model cannot tell whether prefetches help here, so both variants may be measured.
      Schedule bare = candidate.schedule;
      bare.ahead.reset();
      keep(predict(std::move(bare)));
    }
  }

  void keep(Candidate candidate) {
    least_ = std::min(least_, candidate.prediction.seconds);
    results_.candidates.add(std::move(candidate));
  }

  /// Returns the position of a loop inside the boxes of V and of M whose next iteration reads
  /// weights that are worth prefetching into the second-level cache, or nothing.
  std::optional<int> next_weights(const Schedule& schedule, const Nest& nest) const {
    if (machine_.caches.size() < 2) return std::nullopt;
    const HeldBox held{.cut = winograd_cut(problem_, schedule, machine_, 1, costs_.rules),
                       .bytes = usable_bytes(machine_.caches[1])};
    const int boxes = std::max(*schedule.pack_input, *schedule.pack_output);
    for (const int at : next_tile_prefetch_positions(problem_.products, nest, std::nullopt, held))
      if (at > boxes && next_tile_operand(problem_.products, nest, at) == Operand::weights)
        return at;
    return std::nullopt;
  }

  const WinogradProblem& problem_;
  const Machine& machine_;
  WinogradResults& results_;
  CostContext costs_;
  double least_ = std::numeric_limits<double>::infinity();
};

}  // namespace

std::string WinogradResults::space_text() const {
  const auto searched = std::ranges::count_if(
      algorithms, [](const AlgorithmBound& each) { return each.optimum > 0; });
  return std::to_string(algorithms.size()) +
         (algorithms.size() == 1 ? " Winograd algorithm (" : " Winograd algorithms (") +
         std::to_string(searched) + " searched) x " + std::to_string(choices) +
         " blocks, orders and register tiles by their bounds, " +
         (complete ? "the best of these proven" : "search cut short") + "; " +
         std::to_string(predicted) + " of them predicted";
}

std::string why_error_too_large(const Problem& problem, const Options& options) {
  const double least = least_relative_error(std::get<ConvShape>(problem));
  return "max_error (--max-error) is " + short_number(options.max_error) + "; must be at least " +
         short_number(least) + ", the least relative error bound of this convolution";
}

WinogradResults search_winograd(const Problem& problem, const Computation& computation,
                                const Machine& machine, const Options& options, double incumbent) {
  const auto& shape = std::get<ConvShape>(problem);
  const std::vector<Layouts> layouts = layouts_of(computation, options.layout, machine.vector);
  WinogradResults results;
  std::optional<Computation> products;
  for (WinogradAlgorithm& algorithm : winograd_algorithms(shape, machine, options)) {
    const double best = std::min(incumbent, results.candidates.best_seconds);
    if (algorithm.bound.bound <= (1 + kSlack) * best) {
      products = products ? resized_products(*products, shape, algorithm.tiles)
                          : winograd_products(shape, algorithm.tiles);
      const WinogradProblem found{.shape = shape,
                                  .tiles = algorithm.tiles,
                                  .tile = algorithm.tile,
                                  .products = *products,
                                  .rate = algorithm.rate,
                                  .relative_error = algorithm.bound.relative_error};
      const double least = AlgorithmSearch(found, machine, options, results).run(layouts, best);
      if (std::isfinite(least)) algorithm.bound.optimum = least;
    }
    results.algorithms.push_back(std::move(algorithm.bound));
  }
  return results;
}

}  // namespace tileplan
