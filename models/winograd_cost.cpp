// SPDX-License-Identifier: Apache-2.0
// The times of the three stages add up, because each stage reads the results of the one before it.
#include "winograd_cost.h"

#include <algorithm>
#include <utility>

#include "compute.h"
#include "cost.h"
#include "link_flows.h"
#include "merge_dims.h"
#include "partial_overlap.h"
#include "strips.h"
#include "winograd_blocks.h"
#include "winograd_rules.h"

namespace tileplan {
namespace {

/// Gives the cycles of finding the addresses of a tile and calling a transform. The value was
/// chosen, not measured (docs/experiments.md).
constexpr double kCyclesPerTile = 30;

/// Counts the traffic of one stage on one link. Traffic in `all` that is in neither `timed` nor
/// `scattered` takes no time, because the measured rates of transforms include stores to and loads
/// from boxes that the second level holds.
struct StageLink {
  Link all, timed;
  /// Counts the traffic of boxes between the second level and the next. Each line that is read
  /// takes kCyclesPerScatteredLine or more.
  Link scattered;
  double burst = 0;  ///< Gives the additional seconds of loads of U that come in bursts, eq. (B).

  void add(const Link& link) {
    all = sum(all, link);
    timed = sum(timed, link);
  }
  /// Adds the traffic of boxes on the link into cache `at`. Measured transforms include the traffic
  /// into the first level, so it adds no time.
  void add_box(const Link& link, std::size_t at) {
    all = sum(all, link);
    if (at == 1) scattered = sum(scattered, link);
    if (at > 1) timed = sum(timed, link);
  }
  void add(const StageLink& other, double weight) {
    all = sum(all, scaled(other.all, weight));
    timed = sum(timed, scaled(other.timed, weight));
    scattered = sum(scattered, scaled(other.scattered, weight));
    burst += weight * other.burst;
  }

 private:
  static Link sum(const Link& a, const Link& b) {
    return {.reads = a.reads + b.reads, .writes = a.writes + b.writes};
  }
  static Link scaled(const Link& link, double weight) {
    return {.reads = weight * link.reads, .writes = weight * link.writes};
  }
};

enum : std::size_t { input_stage, product_stage, output_stage, stage_count };
constexpr std::array<const char*, stage_count> kStageNames = {"input transform", "products",
                                                              "output transform"};
using StageLinks = std::array<StageLink, stage_count>;

double input_elements_of(const ConvShape& shape) {
  return static_cast<double>(shape.n * shape.c * shape.height.in) *
         static_cast<double>(shape.width.in);
}

class StageModel {
 public:
  StageModel(const WinogradProblem& problem, const Nest& nest, const Marks& marks,
             const Machine& machine, const PredictionRules& rules)
      : problem_(problem),
        marks_(marks),
        machine_(machine),
        rules_(rules),
        blocks_(problem, nest, marks, machine),
        compute_(compute_of(problem.products, nest, blocks_.v, machine)) {}

  Prediction predict() const {
    Prediction prediction{.reduction_steps = mean_steps(compute_),
                          .bound_bytes = winograd_bound_bytes(problem_),
                          .stages = stages(),
                          .relative_error = problem_.relative_error};
    for (const CacheLevel& cache : machine_.caches) prediction.levels.push_back({cache.name});
    for (const StagePrediction& stage : prediction.stages) add(stage, prediction);
    prediction.unhidden.repack =
        transposed(marks_.in, input_count()) + transposed(marks_.out, blocks_.output_elements(1));
    prediction.unhidden.fork = start_seconds(machine_, blocks_.cores.used);
    prediction.seconds += prediction.unhidden.sum();
    prediction.bottleneck = bottleneck_of(prediction);
    return prediction;
  }

  /// Returns the bytes that enter each cache. Links count reads for ownership as reads.
  std::vector<double> loads() const {
    std::vector<double> loads(machine_.caches.size());
    for (std::size_t at = 0; at < loads.size(); ++at)
      for (const StageLink& stage : links_into(at)) loads[at] += stage.all.reads;
    return loads;
  }

 private:
  std::vector<StagePrediction> stages() const {
    std::vector<StageLinks> links;
    for (std::size_t at = 0; at < machine_.caches.size(); ++at) links.push_back(links_into(at));
    std::vector<StagePrediction> stages;
    for (std::size_t stage = 0; stage < stage_count; ++stage)
      stages.push_back(predicted_stage(stage, links));
    return stages;
  }

  StagePrediction predicted_stage(std::size_t stage, const std::vector<StageLinks>& links) const {
    StagePrediction predicted{.name = kStageNames[stage],
                              .compute_seconds = seconds(cycles_of_stage(stage))};
    std::vector<double> level_seconds;
    double alone = 0;  // Sums the seconds that nothing hides.
    for (std::size_t at = 0; at < links.size(); ++at) {
      const CacheLevel& cache = machine_.caches[at];
      const double share = link_share(blocks_.cores, machine_, at);
      const StageLink& link = links[at][stage];
      const double time = share * link.timed.seconds(machine_, cache);
      // Measured transforms include a part of the traffic of boxes, so only what exceeds their time
      // is added.
      const double planes =
          std::max(share * scattered_seconds(machine_, link.scattered.reads),
                   share * link.scattered.seconds(machine_, cache) - predicted.compute_seconds);
      // Transforms touch few bytes in each of many rows of a tensor. Computing therefore hides
      // their traffic on the innermost link only.
      const bool hides = stage == product_stage || at == 0;
      alone += planes + (hides ? 0 : time);
      predicted.levels.push_back({.name = cache.name,
                                  .bytes = link.all.bytes(),
                                  .seconds = time + planes,
                                  .burst_seconds = time + planes + link.burst});
      if (hides) level_seconds.push_back(time + link.burst);
    }
    predicted.seconds = alone + overlap_times(predicted.compute_seconds, level_seconds,
                                              machine_.rates.overlap_exponent);
    return predicted;
  }

  void add(const StagePrediction& stage, Prediction& prediction) const {
    prediction.seconds += stage.seconds;
    prediction.compute_seconds += stage.compute_seconds;
    double beyond = 0;
    for (std::size_t at = 0; at < stage.levels.size(); ++at) {
      prediction.levels[at].bytes += stage.levels[at].bytes;
      prediction.levels[at].seconds += stage.levels[at].seconds;
      prediction.levels[at].burst_seconds += stage.levels[at].burst_seconds;
      if (at > 0) beyond += stage.levels[at].seconds;
    }
    prediction.unhidden.exposed +=
        machine_.rates.overheads.exposed_share * std::min(beyond, stage.compute_seconds);
  }

  static std::string bottleneck_of(const Prediction& prediction) {
    std::vector<std::pair<double, std::string>> parts;
    for (const StagePrediction& stage : prediction.stages) {
      const bool is_product = stage.name == kStageNames[product_stage];
      parts.emplace_back(stage.compute_seconds, is_product ? "compute" : stage.name);
      for (const LevelPrediction& level : stage.levels)
        parts.emplace_back(level.seconds, level.name);
    }
    parts.emplace_back(prediction.unhidden.repack, "repack");
    return std::ranges::max_element(parts, {}, &std::pair<double, std::string>::first)->second;
  }

  double seconds(double cycles) const {
    return blocks_.cores.busiest_share * cycles / machine_.clock.hertz;
  }

  /// Returns the cycles of one stage, summed over all cores.
  double cycles_of_stage(std::size_t stage) const {
    if (stage == product_stage) return cycles_of(compute_);
    const bool is_input = stage == input_stage;
    const double transforms = is_input ? blocks_.input_transforms() : blocks_.output_transforms();
    const Tile& box = is_input ? blocks_.in_box : blocks_.out_box;
    const std::int64_t channels = box[problem_.products.dim(is_input ? "c" : "k")];
    const double vectors = std::ceil(static_cast<double>(channels) / machine_.vector.lanes);
    const TransformRate& rate = problem_.rate;
    const double first = is_input ? rate.in_first : rate.out_first;
    const double second = is_input ? rate.in_second : rate.out_second;
    const bool is_second = is_input ? !traffic_into(0).keeps_v : !traffic_into(0).keeps_m;
    return transforms * ((is_second ? second : first) + kCyclesPerTile / vectors);
  }

  ProductTraffic traffic_into(std::size_t at, double share = 1) const {
    if (at >= machine_.caches.size()) return {.keeps_v = true, .keeps_m = true};
    const CacheLevel& cache = machine_.caches[at];
    return product_traffic(blocks_, cache, share * usable_bytes(cache),
                           rule_for(rules_.capacity, cache, problem_.products.unit_bytes()));
  }

  StageLinks links_into(std::size_t at) const {
    StageLinks mean;
    const std::span<const double> shares = occupancies(machine_, at);
    for (const double share : shares) {
      const StageLinks links = links_into(at, share);
      for (std::size_t stage = 0; stage < stage_count; ++stage)
        mean[stage].add(links[stage], 1.0 / static_cast<double>(shares.size()));
    }
    return mean;
  }

  StageLinks links_into(std::size_t at, double share) const {
    const CacheLevel& cache = machine_.caches[at];
    if (stored_bytes(cache) <= share * usable_bytes(cache)) return cold_links();
    const ProductTraffic traffic = traffic_into(at, share);
    const double v = traffic.keeps_v ? 0 : bytes(blocks_.filled_elements());
    const double m = traffic.missed_m * bytes(blocks_.emptied_elements());
    const double out = bytes(blocks_.output_elements(line_elements()));
    StageLinks links;
    links[input_stage].add({.reads = input_bytes(at)});
    links[input_stage].add_box({.reads = v, .writes = v}, at);
    links[product_stage].add(
        {.reads = bytes(traffic.v + traffic.u + traffic.m), .writes = bytes(traffic.m)});
    links[product_stage].burst = burst_seconds(at, traffic);
    links[output_stage].add_box({.reads = m}, at);
    links[output_stage].add({.reads = out, .writes = out});
    return links;
  }

  /// Returns the additional seconds of the link into cache `at` because parts of U arrive during
  /// their first use. The result is 0 for the innermost cache, and with the mark `ahead`, by which
  /// U arrives evenly over the execution.
  double burst_seconds(std::size_t at, const ProductTraffic& traffic) const {
    if (marks_.ahead || at == 0) return 0;
    const double plain = link_share(blocks_.cores, machine_, at) *
                         link_seconds(machine_.caches[at], bytes(traffic.u), 0);
    const TensorAccess& weights = problem_.products.tensor(Operand::weights);
    const double streams =
        streaming_share(problem_.products, blocks_.nest, weights, blocks_.boxes[traffic.cut]);
    return partial_overlap_seconds({{.seconds = plain, .share = streams}},
                                   seconds(cycles_of(compute_)), machine_.rates.overlap_exponent) -
           plain;
  }

  /// Returns the traffic into a cache that holds everything after one run: the tensors that the
  /// regime makes cold, if any.
  StageLinks cold_links() const {
    StageLinks links;
    const bool all = rules_.regime == Regime::all_cold;
    if (all || rules_.regime == Regime::cold_weights)
      links[product_stage].add({.reads = weight_bytes()});
    if (!all) return links;
    links[input_stage].add({.reads = bytes(input_count())});
    links[output_stage].add({.reads = bytes(blocks_.output_elements(line_elements()))});
    return links;
  }

  /// Returns the bytes that must fit into `cache` so that it holds everything: the data that its
  /// cores touch, and the data that the regime touches between runs.
  double stored_bytes(const CacheLevel& cache) const {
    const double used = blocks_.cores.used;
    const double others =
        rules_.regime.kind == Regime::Kind::network ? static_cast<double>(rules_.regime.bytes) : 0;
    const double boxes = bytes(static_cast<double>(blocks_.v.elements + blocks_.m.elements));
    const double activations = bytes(input_count() + blocks_.output_elements(1));
    if (cache.shared_by_cores > 1) return others + activations + weight_bytes() + used * boxes;
    return others + activations / used + weight_bytes() + boxes;
  }

  /// Returns the bytes of the input that cross the link into cache `at`. The first level holds the
  /// overlap of neighbouring tiles of a row of tiles, but not the overlap of two rows.
  double input_bytes(std::size_t at) const {
    const auto channels = static_cast<double>(blocks_.in_box[problem_.products.dim("c")]);
    const double line = line_elements();
    const double lines = std::ceil(channels / line) * line / channels;
    return lines * bytes(at == 0 ? blocks_.input_elements_by_rows() : blocks_.input_elements());
  }

  double weight_bytes() const {
    const TensorAccess& weights = problem_.products.tensor(Operand::weights);
    return bytes(static_cast<double>(footprint(weights, extents_of(problem_.products))));
  }
  double input_count() const { return input_elements_of(problem_.shape); }
  double bytes(double elements) const {
    return static_cast<double>(problem_.products.unit_bytes()) * elements;
  }
  double line_elements() const {
    return static_cast<double>(machine_.caches.front().line_bytes) /
           static_cast<double>(problem_.products.unit_bytes());
  }
  /// Returns the time of transposing a tensor in nchw as a whole, because vectors of the transforms
  /// hold channels. Returns 0 for other layouts.
  double transposed(Layout layout, double elements) const {
    return layout == Layout::nchw
               ? transposition_seconds(elements, bytes(1), machine_, blocks_.cores.used)
               : 0;
  }

  const WinogradProblem& problem_;
  const Marks& marks_;
  const Machine& machine_;
  PredictionRules rules_;
  WinogradBlocks blocks_;
  std::vector<BranchCompute> compute_;
};

}  // namespace

double scattered_seconds(const Machine& machine, double bytes) {
  const double lines = bytes / static_cast<double>(machine.caches.front().line_bytes);
  return kCyclesPerScatteredLine * lines / machine.clock.hertz;
}

Prediction predict_winograd(const WinogradProblem& problem, const Schedule& schedule,
                            const Machine& machine, const PredictionRules& rules) {
  const Nest nest = resolve(schedule, problem.products, machine.vector.lanes);
  const Marks marks(schedule);
  check_winograd_nest(problem.products, nest, marks, machine.vector.lanes);
  return StageModel(problem, nest, marks, machine, rules).predict();
}

std::vector<double> winograd_loads(const WinogradProblem& problem, const Schedule& schedule,
                                   const Machine& machine, const PredictionRules& rules) {
  const Nest nest = resolve(schedule, problem.products, machine.vector.lanes);
  const Marks marks(schedule);
  check_winograd_nest(problem.products, nest, marks, machine.vector.lanes);
  return StageModel(problem, nest, marks, machine, rules).loads();
}

Computation computation_in_loops(const Problem& problem, const Schedule& schedule,
                                 const VectorUnit& unit) {
  if (!schedule.winograd) return loop_computation(problem, schedule, unit);
  // winograd_tile() throws Error when Winograd convolutions cannot compute the problem.
  winograd_tile(problem, *schedule.winograd);
  return winograd_products(std::get<ConvShape>(problem), *schedule.winograd);
}

Prediction predict_schedule(const Problem& problem, const Schedule& schedule,
                            const Machine& machine, const PredictionRules& rules) {
  if (!schedule.winograd)
    return predict(loop_computation(problem, schedule, machine.vector), schedule, machine, rules);
  return predict_winograd(winograd_problem(problem, *schedule.winograd, machine), schedule, machine,
                          rules);
}

Tile winograd_cut(const WinogradProblem& problem, const Schedule& schedule, const Machine& machine,
                  std::size_t at, const PredictionRules& rules) {
  const Nest nest = resolve(schedule, problem.products, machine.vector.lanes);
  const WinogradBlocks blocks(problem, nest, schedule, machine);
  const CacheLevel& cache = machine.caches[at];
  const CapacityRule rule = rule_for(rules.capacity, cache, problem.products.unit_bytes());
  return largest_box_inside(nest, product_traffic(blocks, cache, usable_bytes(cache), rule).cut);
}

double winograd_bound_bytes(const WinogradProblem& problem) {
  const ConvShape& shape = problem.shape;
  const TensorAccess& weights = problem.products.tensor(Operand::weights);
  const double outputs = static_cast<double>(shape.n * shape.k * shape.height.out) *
                         static_cast<double>(shape.width.out);
  return static_cast<double>(problem.products.unit_bytes()) *
         (input_elements_of(shape) + outputs +
          static_cast<double>(footprint(weights, extents_of(problem.products))));
}

}  // namespace tileplan
