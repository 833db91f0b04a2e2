// SPDX-License-Identifier: Apache-2.0
// Each iteration of the loops outside a box fills the box again, and the loops inside the box reuse
// its elements.
#include "winograd_blocks.h"

#include <algorithm>

#include "branches.h"
#include "footprint.h"
#include "integers.h"

namespace tileplan {
namespace {

std::size_t loops_around(const std::optional<int>& position, const Nest& nest) {
  return std::min(static_cast<std::size_t>(position.value_or(0)) + 1, nest.loops.size());
}

std::vector<Tile> boxes_of(const Nest& nest) {
  std::vector<Tile> boxes;
  for (std::size_t at = 0; at <= nest.loops.size(); ++at)
    boxes.push_back(largest_box_inside(nest, at));
  return boxes;
}

Tile clipped(Tile box, const Tile& limit) {
  std::ranges::transform(box.values, limit.values, box.values.begin(), std::ranges::min);
  return box;
}

double bytes_of_layout(const TensorLayout& layout, const TensorAccess& tensor) {
  return static_cast<double>(layout.elements * tensor.element_bytes());
}

/// Returns the dimension of the nearest loop outside position `at` that has more than one trip, or
/// nothing if there is none.
std::optional<Dim> next_outside(const Nest& nest, std::size_t at) {
  while (at-- > 0)
    if (nest.loops[at].is_active()) return nest.loops[at].dim;
  return std::nullopt;
}

/// Computes which box of the loops one cache holds, and the resulting traffic.
class CacheCut {
 public:
  CacheCut(const WinogradBlocks& blocks, const CacheLevel& cache, CapacityRule rule)
      : blocks_(blocks),
        products_(blocks.problem.products),
        rule_(rule),
        sharers_(cache.shared_by_cores > 1 ? blocks.cores.used : 1) {}

  /// Returns the outermost position whose box fits into `bytes`, or the innermost position when
  /// none fits.
  std::size_t position(double bytes) const {
    const std::size_t last = blocks_.nest.loops.size();
    for (std::size_t at = 0; at < last; ++at)
      if (needed_bytes(at) <= bytes) return at;
    return last;
  }

  /// Returns the bytes that must fit so that the data of the loops from `at` inwards stay in the
  /// cache, eq. (C). The rule `ways` counts like `ideal`: nothing is rounded up to whole ways.
  double needed_bytes(std::size_t at) const {
    Tile next = box(at);
    if (const auto dim = next_outside(blocks_.nest, at); dim && rule_.kind == Capacity::lru2)
      next[*dim] = std::min(2 * next[*dim], products_.extent(*dim));
    const auto elements = [&](Operand operand, const Tile& tile) {
      return static_cast<double>(footprint(products_.tensor(operand), tile));
    };
    const double boxes = elements(Operand::input, clipped(next, blocks_.in_box)) +
                         elements(Operand::output, clipped(next, blocks_.out_box));
    const double sharers = sharers_;
    return static_cast<double>(products_.unit_bytes()) *
           (sharers * boxes + sharers / weight_copies() * elements(Operand::weights, next));
  }

  /// Returns the number of elements of tensor `operand` that enter the cache when it holds the data
  /// of the loops from `cut` inwards, by rule (V). Every index of the tensors of the products is a
  /// single iterator.
  double volume(Operand operand, std::size_t cut) const {
    const TensorAccess& tensor = products_.tensor(operand);
    double volume = static_cast<double>(footprint(tensor, box(cut)));
    bool is_walked = false;
    for (std::size_t at = cut; at-- > 0;) {
      const NestLoop& loop = blocks_.nest.loops[at];
      const bool present = is_present(tensor, loop.dim);
      is_walked = is_walked || (present && loop.is_active());
      if (present)
        volume *= static_cast<double>(footprint(tensor, box(at))) /
                  static_cast<double>(footprint(tensor, box(at + 1)));
      else if (is_walked)
        volume *= static_cast<double>(loop.blocks());
    }
    return volume;
  }

  /// Returns true when the loops from `cut` inwards touch every element of the tensor that the box
  /// `whole` touches.
  bool covers(Operand operand, std::size_t cut, const Tile& whole) const {
    const TensorAccess& tensor = products_.tensor(operand);
    return footprint(tensor, clipped(box(cut), whole)) == footprint(tensor, whole);
  }

  /// Returns the number of cores whose boxes of V and M this cache holds.
  double sharers() const { return sharers_; }

  /// Returns the number of cores using this cache that read the same elements of U: one if parallel
  /// loops divide U among the cores, else all of them.
  double weight_copies() const {
    const auto is_parallel_in_weights = [&](const NestLoop& loop) {
      return loop.parallel && is_present(products_.tensor(Operand::weights), loop.dim);
    };
    const bool own = std::ranges::any_of(blocks_.nest.loops, is_parallel_in_weights);
    return own ? 1 : sharers_;
  }

 private:
  const Tile& box(std::size_t at) const { return blocks_.boxes[at]; }

  const WinogradBlocks& blocks_;
  const Computation& products_;
  CapacityRule rule_;
  int sharers_;
};

}  // namespace

WinogradBlocks::WinogradBlocks(const WinogradProblem& of, const Nest& loops, const Marks& marks,
                               const Machine& machine)
    : problem(of),
      nest(loops),
      cores(cores_of(of.products, loops, machine.cores)),
      in_loops(loops_around(marks.pack_input, loops)),
      out_loops(loops_around(marks.pack_output, loops)),
      boxes(boxes_of(loops)),
      in_box(boxes[in_loops]),
      out_box(boxes[out_loops]),
      v(winograd_box_layout(of.products, Operand::input, in_box, machine.vector.lanes)),
      m(winograd_box_layout(of.products, Operand::output, out_box, machine.vector.lanes)),
      lanes_(machine.vector.lanes) {}

double WinogradBlocks::fills() const {
  double fills = 1;
  for (std::size_t at = 0; at < in_loops; ++at)
    fills *= static_cast<double>(nest.loops[at].blocks());
  // When loops inside the box are parallel, each core fills a box of its own.
  for (std::size_t at = in_loops; at < nest.loops.size(); ++at)
    if (nest.loops[at].parallel)
      fills *= static_cast<double>(nest.loops[at].blocks()) /
               static_cast<double>(cores.own.nest.loops[at].blocks());
  return fills;
}

double WinogradBlocks::input_transforms() const {
  const Computation& products = problem.products;
  const Dim g = products.dim("g"), p = products.dim("p"), c = products.dim("c");
  const double boxes_of_channels =
      std::ceil(static_cast<double>(products.extent(c)) / static_cast<double>(in_box[c]));
  const auto vectors = static_cast<double>(ceil_div(in_box[c], lanes_));
  // Boxes may have two sizes, but the boxes of one repetition cover each tile exactly once.
  double repeats = fills() / boxes_of_channels;
  for (std::size_t at = 0; at < in_loops; ++at)
    if (const Dim dim = nest.loops[at].dim; dim == p || dim == g)
      repeats /= static_cast<double>(nest.loops[at].blocks());
  return repeats * boxes_of_channels * vectors *
         static_cast<double>(products.extent(p) * products.extent(g));
}

double WinogradBlocks::output_transforms() const {
  const Computation& products = problem.products;
  return static_cast<double>(products.extent(products.dim("p")) *
                             products.extent(products.dim("g")) *
                             ceil_div(products.extent(products.dim("k")), lanes_));
}

double WinogradBlocks::input_rows(double tiles) const {
  const TileCounts counts = tile_counts(problem.shape, problem.tiles);
  const auto columns = static_cast<double>(counts.columns);
  const double rows = std::clamp(tiles / columns, 1.0, static_cast<double>(counts.rows));
  const DataDim window{.terms = {{Dim{0}, problem.tiles.outputs[0]}, {Dim{1}, 1}}};
  const double touched =
      card(window, PerDim<double>{{rows, static_cast<double>(problem.tile.height.inputs())}});
  const double images = std::max(1.0, tiles / columns / static_cast<double>(counts.rows));
  return images * std::min(touched, static_cast<double>(problem.shape.height.in));
}

double WinogradBlocks::input_columns(double tiles) const {
  const TileCounts counts = tile_counts(problem.shape, problem.tiles);
  const double columns = std::min(tiles, static_cast<double>(counts.columns));
  const DataDim window{.terms = {{Dim{0}, problem.tiles.outputs[1]}, {Dim{1}, 1}}};
  const double touched =
      card(window, PerDim<double>{{columns, static_cast<double>(problem.tile.width.inputs())}});
  return std::min(touched, static_cast<double>(problem.shape.width.in));
}

double WinogradBlocks::filled_elements() const {
  return input_transforms() * problem.tile.products() * lanes_;
}

double WinogradBlocks::emptied_elements() const {
  return output_transforms() * problem.tile.products() * lanes_;
}

double WinogradBlocks::fill_elements() const {
  const Computation& products = problem.products;
  const auto tiles = static_cast<double>(in_box[products.dim("p")]);
  return input_rows(tiles) * input_columns(tiles) *
         static_cast<double>(in_box[products.dim("c")] * in_box[products.dim("g")]);
}

double WinogradBlocks::input_elements() const { return fills() * fill_elements(); }

double WinogradBlocks::input_elements_by_rows() const {
  const Computation& products = problem.products;
  const auto tiles = static_cast<double>(in_box[products.dim("p")]);
  const double columns = static_cast<double>(tile_counts(problem.shape, problem.tiles).columns);
  const double rows_of_tiles = std::max(1.0, tiles / columns);
  return input_elements() / input_rows(tiles) * rows_of_tiles * problem.tile.height.inputs();
}

double WinogradBlocks::output_elements(double line) const {
  const ConvShape& shape = problem.shape;
  const auto channels = static_cast<double>(out_box[problem.products.dim("k")]);
  const double whole_lines = std::ceil(channels / line) * line / channels;
  return whole_lines * static_cast<double>(shape.n * shape.k * shape.height.out) *
         static_cast<double>(shape.width.out);
}

ProductTraffic product_traffic(const WinogradBlocks& blocks, const CacheLevel& cache, double bytes,
                               CapacityRule rule) {
  const CacheCut cut(blocks, cache, rule);
  const std::size_t at = cut.position(bytes);
  const Computation& products = blocks.problem.products;
  const double v = cut.sharers() * bytes_of_layout(blocks.v, products.tensor(Operand::input));
  const double m = cut.sharers() * bytes_of_layout(blocks.m, products.tensor(Operand::output));
  const TensorAccess& weights = products.tensor(Operand::weights);
  const double u = cut.sharers() / cut.weight_copies() *
                   static_cast<double>(weights.element_bytes()) *
                   static_cast<double>(footprint(weights, blocks.in_box));
  ProductTraffic traffic{.v = cut.volume(Operand::input, at),
                         .u = cut.volume(Operand::weights, at) / cut.weight_copies(),
                         .m = cut.volume(Operand::output, at),
                         .keeps_v = cut.covers(Operand::input, at, blocks.in_box) && v <= bytes,
                         .keeps_m = cut.covers(Operand::output, at, blocks.out_box),
                         .missed_m = 0,
                         .cut = at,
                         .needed = cut.needed_bytes(at),
                         .outside = at > 0 ? cut.needed_bytes(at - 1) : 0};
  if (traffic.keeps_v) {
    traffic.v = 0;
  } else {
    // Plane x of V holds the transformed inputs for product x of all tiles, and planes x of U and M
    // hold its weights and results. Products are assumed to run plane by plane, as if no loop
    // inside the box of V were outside the loop over x. By LRU, plane x of V is thus still in the
    // cache when V and the planes of U and M before plane x fit together.
    const double kept = std::clamp((bytes - v) / (u + m), 0.0, 1.0);
    traffic.v -= std::min(traffic.v, kept * blocks.filled_elements());
  }
  if (traffic.keeps_m)
    traffic.m = 0;
  else
    traffic.missed_m = 1 - std::min(1.0, bytes / (u + v + m));
  return traffic;
}

}  // namespace tileplan
