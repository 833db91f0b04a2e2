// SPDX-License-Identifier: Apache-2.0
// Bounds of choices follow from sizes and from the rates and caches of the machine without
// predictions, so thousands of choices are compared in a millisecond.
#include "winograd_choices.h"

#include <algorithm>
#include <cmath>

#include "capacity.h"
#include "cost.h"
#include "integers.h"
#include "link.h"
#include "throughput.h"
#include "winograd_algorithms.h"

namespace tileplan {
namespace {

constexpr double kFloatBytes = 4;

/// Holds the extents of the products. `output_vectors` counts the vectors of output channels.
struct Sizes {
  std::int64_t groups, products, tiles, output_channels, output_vectors, input_channels;

  Sizes(const WinogradProblem& problem, int lanes)
      : groups(extent(problem, "g")),
        products(extent(problem, "x")),
        tiles(extent(problem, "p")),
        output_channels(extent(problem, "k")),
        output_vectors(ceil_div(output_channels, lanes)),
        input_channels(extent(problem, "c")) {}

 private:
  static std::int64_t extent(const WinogradProblem& problem, const char* dim) {
    return problem.products.extent(problem.products.dim(dim));
  }
};

/// Describes register tiles that together cover a block of tiles, and the cycles of their calls.
struct Cover {
  int vectors = 1;
  std::vector<Part> parts = {};
  CallCycles cycles = {};  ///< Is the sum over the register tiles.
};

/// Returns the number of Winograd tiles that the largest register tile with `vectors` vectors of
/// channels holds, or 0 when no register tile has so many vectors.
int most_tiles(int vectors, const VectorUnit& unit) {
  int most = 0;
  while (fits_registers({.pixels = most + 1, .vectors = vectors}, unit)) ++most;
  return most;
}

/// Covers `tiles` by `count` register tiles whose sizes differ by at most one.
Cover even_cover(std::int64_t tiles, std::int64_t count, int vectors, const Machine& machine) {
  const std::int64_t small = tiles / count, larger = tiles % count;
  Cover cover{.vectors = vectors};
  if (larger > 0) cover.parts.push_back({larger, small + 1});
  cover.parts.push_back({count - larger, small});
  for (const Part& part : cover.parts) {
    const KernelRate rate =
        kernel_rate({.pixels = static_cast<int>(part.size), .vectors = vectors}, machine);
    cover.cycles.add(CallCycles(rate), static_cast<double>(part.times));
  }
  return cover;
}

/// Returns the covers of a block of `tiles` tiles. For each number of vectors that a register tile
/// can have, one cover uses the fewest register tiles, and another uses one more if there are
/// enough tiles.
std::vector<Cover> covers_of(std::int64_t tiles, const Machine& machine) {
  std::vector<Cover> covers;
  for (int vectors = 1; vectors < machine.vector.registers; ++vectors) {
    const int most = most_tiles(vectors, machine.vector);
    if (most == 0) break;
    const std::int64_t fewest = ceil_div(tiles, most);
    for (std::int64_t count = fewest; count <= std::min(fewest + 1, tiles); ++count)
      covers.push_back(even_cover(tiles, count, vectors, machine));
  }
  return covers;
}

class Choices {
 public:
  Choices(const WinogradProblem& problem, const Machine& machine, double limit)
      : problem_(problem),
        machine_(machine),
        limit_(limit),
        sizes_(problem, machine.vector.lanes) {}

  std::vector<WinogradChoice> all() {
    for (const std::int64_t tiles : divisors(sizes_.tiles)) {
      const std::vector<Cover> covers = covers_of(tiles, machine_);
      for (const std::int64_t vectors : divisors(sizes_.output_vectors))
        for (const std::int64_t channels : divisors(sizes_.input_channels))
          if (channels == sizes_.input_channels || channels % machine_.vector.lanes == 0)
            add_block(tiles, vectors, channels, covers);
    }
    std::ranges::stable_sort(found_, {}, &WinogradChoice::least_seconds);
    return std::move(found_);
  }

 private:
  void add_block(std::int64_t tiles, std::int64_t vectors, std::int64_t channels,
                 const std::vector<Cover>& covers) {
    const bool all_k = vectors == sizes_.output_vectors, all_c = channels == sizes_.input_channels;
    const auto add_order = [&](BlockOrder order) {
      for (const Cover& cover : covers)
        if (vectors % cover.vectors == 0) add(order, tiles, vectors, channels, cover);
    };
    if (all_c) add_order(BlockOrder::whole_v);
    if (all_k && !all_c) add_order(BlockOrder::whole_m);
    // The orders with the loop k outside p repeat transforms for each block of output channels.
    // With a single such block, they repeat nothing and equal whole_v or whole_m. With a single
    // block of tiles, they were never the fastest in tests and are left out to shorten the search.
    if (all_k || tiles == sizes_.tiles) return;
    add_order(all_c ? BlockOrder::repeat_v : BlockOrder::repeat_c);
  }

  void add(BlockOrder order, std::int64_t tiles, std::int64_t vectors, std::int64_t channels,
           const Cover& cover) {
    WinogradChoice choice{.order = order,
                          .tiles = tiles,
                          .output_vectors = vectors,
                          .input_channels = channels,
                          .vectors = cover.vectors,
                          .parts = cover.parts};
    choice.least_seconds = (1 - kRounding) * least_seconds(choice, cover);
    if (choice.least_seconds > limit_) return;
    const bool has_two_loops = vectors > cover.vectors && cover.parts.front().times > 1;
    found_.push_back(choice);
    if (!has_two_loops) return;
    choice.inner = TileOrder::channels_inside;
    found_.push_back(std::move(choice));
  }

  /// Returns the seconds of the busiest core when cores share whole blocks evenly.
  double seconds(double cycles, const WinogradChoice& choice) const {
    std::int64_t count = sizes_.groups * (sizes_.tiles / choice.tiles);
    if (repeats(choice)) count *= sizes_.output_vectors / choice.output_vectors;
    const auto tasks = static_cast<double>(count);
    const double cores = std::min<double>(machine_.cores, tasks);
    return std::ceil(tasks / cores) / tasks * cycles / machine_.clock.hertz;
  }

  static bool repeats(const WinogradChoice& choice) {
    return choice.order == BlockOrder::repeat_v || choice.order == BlockOrder::repeat_c;
  }

  double least_seconds(const WinogradChoice& choice, const Cover& cover) const {
    const auto all = [](std::int64_t count) { return static_cast<double>(count); };
    const double tiles = all(sizes_.groups * sizes_.tiles);
    const double blocks_of_c = all(sizes_.input_channels / choice.input_channels);
    const double calls = all(sizes_.groups * sizes_.products * (sizes_.tiles / choice.tiles)) *
                         all(sizes_.output_vectors / cover.vectors);
    const double products = calls * (blocks_of_c * cover.cycles.of(all(choice.input_channels)) +
                                     (blocks_of_c - 1) * cover.cycles.resume);
    const double fills = repeats(choice) ? all(sizes_.output_vectors / choice.output_vectors) : 1;
    const double inputs =
        fills * tiles * blocks_of_c * all(ceil_div(choice.input_channels, machine_.vector.lanes));
    const double outputs = tiles * all(sizes_.output_vectors);
    const TransformRate& rate = problem_.rate;
    return seconds(inputs * std::min(rate.in_first, rate.in_second), choice) +
           std::max(seconds(products, choice), weight_seconds(choice)) +
           seconds(outputs * std::min(rate.out_first, rate.out_second), choice) +
           box_seconds(choice, inputs);
  }

  /// Returns the time of the weights on the link into a second-level cache that cannot hold them:
  /// each block of tiles of a group but the first loads again the part of the group's weights that
  /// the cache cannot keep. It is 0 with several cores, and for orders with k outside p.
  double weight_seconds(const WinogradChoice& choice) const {
    if (machine_.caches.size() < 2 || machine_.cores > 1) return 0;
    const CacheLevel& second = machine_.caches[1];
    const auto elements = static_cast<double>(sizes_.products) *
                          static_cast<double>(sizes_.output_vectors * sizes_.input_channels);
    const double weights = kFloatBytes * machine_.vector.lanes * elements;
    if (weights <= most_kept() || repeats(choice)) return 0;
    const std::int64_t blocks = sizes_.tiles / choice.tiles;
    const auto again = static_cast<double>(sizes_.groups * (blocks - 1));
    return link_seconds(second, again * (weights - most_kept()), 0);
  }

  /// Returns the most bytes that predictions let the second-level cache hold.
  double most_kept() const {
    return occupancies(machine_, 1).back() * usable_bytes(machine_.caches[1]);
  }

  /// Returns the additional time of filling V if the second-level cache of a single core cannot
  /// hold the boxes of V and M, and 0 otherwise.
  double box_seconds(const WinogradChoice& choice, double inputs) const {
    if (machine_.caches.size() < 2 || machine_.cores > 1) return 0;
    const double product_bytes = kFloatBytes * static_cast<double>(sizes_.products);
    const auto channels = static_cast<double>(
        choice.input_channels +
        std::min(choice.output_vectors * machine_.vector.lanes, sizes_.output_channels));
    const double boxes = product_bytes * static_cast<double>(choice.tiles) * channels;
    if (boxes <= most_kept()) return 0;
    return scattered_seconds(machine_, product_bytes * machine_.vector.lanes * inputs);
  }

  const WinogradProblem& problem_;
  const Machine& machine_;
  double limit_;
  Sizes sizes_;
  std::vector<WinogradChoice> found_;
};

/// Writes the loops of one choice, outermost first.
class Loops {
 public:
  Loops(const Sizes& sizes, const WinogradChoice& choice, int cores)
      : sizes_(sizes), choice_(choice), cores_(cores) {}

  Schedule take() {
    outer_loops();
    schedule_.loops.push_back({.kind = Kind::tile, .dim = "x", .count = sizes_.products});
    if (choice_.inner == TileOrder::tiles_inside) {
      channel_loop();
      tile_loop();
    } else {
      tile_loop();
      channel_loop();
    }
    schedule_.loops.push_back({.kind = Kind::tile, .dim = "c", .count = choice_.input_channels});
    const bool is_sized = choice_.parts.size() > 1;
    add(Kind::unroll, "p", is_sized ? 0 : choice_.parts.front().size);
    if (choice_.vectors > 1) add(Kind::unroll, "k", choice_.vectors);
    add(Kind::vector, "k", 0);
    return std::move(schedule_);
  }

 private:
  void outer_loops() {
    const std::int64_t tiles = sizes_.tiles / choice_.tiles,
                       vectors = sizes_.output_vectors / choice_.output_vectors,
                       channels = sizes_.input_channels / choice_.input_channels;
    const bool is_k_first =
        choice_.order == BlockOrder::repeat_v || choice_.order == BlockOrder::repeat_c;
    if (sizes_.groups > 1) shared("g", sizes_.groups);
    if (is_k_first) shared("k", vectors);
    shared("p", tiles);
    schedule_.pack_input = schedule_.pack_output = last();
    if (choice_.order == BlockOrder::whole_v && vectors > 1) {
      add(Kind::tile, "k", vectors);
      schedule_.pack_output = last();
    }
    if (channels > 1) {
      add(Kind::tile, "c", channels);
      schedule_.pack_input = last();
    }
  }

  int last() const { return static_cast<int>(schedule_.loops.size()) - 1; }

  void shared(const char* dim, std::int64_t trips) {
    add(cores_ > 1 && trips > 1 ? Kind::parallel : Kind::tile, dim, trips);
  }

  void channel_loop() {
    const std::int64_t trips = choice_.output_vectors / choice_.vectors;
    if (trips > 1) add(Kind::tile, "k", trips);
  }

  void tile_loop() {
    const std::vector<Part>& parts = choice_.parts;
    if (parts.size() > 1)
      schedule_.loops.push_back({.kind = Kind::lambda, .dim = "p", .parts = parts});
    else if (parts.front().times > 1)
      add(Kind::tile, "p", parts.front().times);
  }

  void add(Kind kind, const char* dim, std::int64_t count) {
    schedule_.loops.push_back({.kind = kind, .dim = dim, .count = count});
  }

  const Sizes& sizes_;
  const WinogradChoice& choice_;
  int cores_;
  Schedule schedule_;
};

}  // namespace

std::vector<WinogradChoice> winograd_choices(const WinogradProblem& problem, const Machine& machine,
                                             double limit) {
  return Choices(problem, machine, limit).all();
}

Schedule schedule_of(const WinogradProblem& problem, const WinogradChoice& choice, int lanes,
                     int cores) {
  const Sizes sizes(problem, lanes);
  Schedule schedule = Loops(sizes, choice, cores).take();
  schedule.winograd = problem.tiles;
  return schedule;
}

}  // namespace tileplan
