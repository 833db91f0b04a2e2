// SPDX-License-Identifier: Apache-2.0
// This file splits the extents at random and shuffles the loops.
#include "random_nest.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "integers.h"
#include "random_schedule.h"

namespace tileplan::test {
namespace {

// If vectors hold pixels, a loop for packing the input is drawn up to this many times, because
// kernels often need the packed input for such vectors.
constexpr int kBoxTries = 4;

/// Draws the register tile: vectors along one output dimension and, if there are others, columns
/// along a second one and rows along a third one. Splits the remaining extent of each dimension
/// into loops.
class ScheduleDraw {
 public:
  ScheduleDraw(Random& random, const Computation& computation, const Registers& registers)
      : random_(random),
        computation_(computation),
        lanes_(registers.lanes),
        registers_(registers.count) {}

  Schedule draw() {
    draw_tile_dims();
    draw_vectors();
    draw_rows();
    for (int d = 0; d < computation_.dims(); ++d)
      if (std::find(tile_dims_.begin(), tile_dims_.end(), Dim{d}) == tile_dims_.end())
        split(Dim{d}, extent(Dim{d}));
    std::shuffle(loops_.begin(), loops_.end(), random_);
    if (one_in(random_, 2)) gather_reductions();
    move_splits_outside();
    for (std::size_t i = tile_dims_.size(); i-- > 0;)
      loops_.push_back(counted_loop(Kind::unroll, name(tile_dims_[i]), unrolled_[i]));
    loops_.push_back(counted_loop(Kind::vector, name(tile_dims_[0]), 0));
    const IsSummed summed = [&](const Specifier& loop) { return is_reduction(loop); };
    Schedule schedule = with_parallel_loops(random_, {.loops = loops_}, summed);
    // Kernels cannot pack the input when all tensors contain the dimension of the vectors.
    const int tries =
        is_over_pixels() ? kBoxTries : computation_.role(tile_dims_[0]) != Role::batch;
    for (int i = 0; i < tries && !schedule.pack_input; ++i)
      schedule.pack_input = random_box(random_, schedule, summed);
    return schedule;
  }

 private:
  bool is_over_pixels() const { return computation_.role(tile_dims_[0]) == Role::pixel; }
  const std::string& name(Dim dim) const { return computation_.name(dim); }
  std::int64_t extent(Dim dim) const { return computation_.extent(dim); }
  bool is_reduction(const Specifier& loop) const {
    return computation_.role(computation_.dim(loop.dim)) == Role::reduction;
  }

  void draw_tile_dims() {
    constexpr std::size_t kTileDims = 3;
    std::vector<Dim> dims;
    for (const DataDim& data : computation_.tensor(Operand::output).data)
      for (const Term& term : data.terms) dims.push_back(term.dim);
    const Dim vector = draw_vector_dim(dims);
    std::shuffle(dims.begin(), dims.end(), random_);
    // A dimension of extent 1 is of no use in a tile, but vectors may still run along it.
    std::stable_partition(dims.begin(), dims.end(), [&](Dim dim) { return extent(dim) > 1; });
    const auto wanted = std::find(dims.begin(), dims.end(), vector);
    std::rotate(dims.begin(), wanted, wanted + 1);
    dims.resize(std::min(dims.size(), kTileDims));
    tile_dims_ = dims;
    unrolled_.assign(dims.size(), 1);
  }

  /// With probability 2/3, vectors run along the output channels or the groups of a convolution, or
  /// along the last output index of another problem. Otherwise, they run along the pixels of a
  /// convolution, or along any output dimension of another problem.
  Dim draw_vector_dim(const std::vector<Dim>& dims) {
    const bool common = !one_in(random_, 3);
    if (const auto* conv = std::get_if<ConvShape>(&computation_.problem)) {
      if (!common) return dims.back();
      return computation_.dim(one_in(random_, 2) ? vector_dim(*conv) : "k");
    }
    return common ? dims.back()
                  : dims[static_cast<std::size_t>(
                        pick(random_, 0, static_cast<std::int64_t>(dims.size()) - 1))];
  }

  void split(Dim dim, std::int64_t trips) {
    while (trips > 1) {
      const std::int64_t factor = one_in(random_, 2) ? trips : pick_divisor(random_, trips, trips);
      if (factor > 1) loops_.push_back(counted_loop(Kind::tile, name(dim), factor));
      trips /= factor;
    }
  }

  /// Returns two parts with times1 * size1 + times2 * size2 = extent and sizes up to `most`, or no
  /// parts when a few tries find none or `extent` is below 3.
  std::vector<Part> uneven_parts(std::int64_t extent, std::int64_t most) {
    constexpr int kTries = 10;
    for (int i = 0; i < kTries && extent >= 3; ++i) {
      const Part first{.times = pick(random_, 1, 3), .size = pick(random_, 1, most)};
      const Part second{.times = pick(random_, 1, 3), .size = pick(random_, 1, most)};
      const std::int64_t left = extent - first.times * first.size;
      if (left > 0 && left % second.size == 0)
        return {first, {.times = left / second.size, .size = second.size}};
    }
    return {};
  }

  void add_lambda(Dim dim, std::vector<Part> parts) {
    loops_.push_back(
        {.kind = Kind::lambda, .dim = name(dim), .count = 0, .parts = std::move(parts)});
  }

  /// Unrolls the dimension tile_dims_[at], which has `extent` steps, by at most `most` steps. With
  /// probability 1/3, tries to use two sizes. Returns the size, or the larger of the two.
  std::int64_t unroll(std::size_t at, std::int64_t extent, std::int64_t most) {
    const Dim dim = tile_dims_[at];
    std::vector<Part> parts = one_in(random_, 3) ? uneven_parts(extent, most) : std::vector<Part>{};
    if (parts.empty()) {
      unrolled_[at] = pick_divisor(random_, extent, most);
      split_output(dim, extent / unrolled_[at], unrolled_[at]);
      return unrolled_[at];
    }
    const std::int64_t widest = std::max(parts[0].size, parts[1].size);
    unrolled_[at] = 0;  // The value 0 means that the list of blocks (lambda) sets the size.
    add_lambda(dim, std::move(parts));
    return widest;
  }

  void draw_vectors() {
    const std::int64_t all = ceil_div(extent(tile_dims_[0]), lanes_);
    most_vectors_ = unroll(0, all, one_in(random_, 3) ? 3 : 4);
  }

  void draw_rows() {
    // If vectors hold pixels, each pair of a column and a row may need a register for its weight.
    const std::int64_t most = is_over_pixels() ? (registers_ - 2) / (most_vectors_ + 1)
                                               : (registers_ - 1 - most_vectors_) / most_vectors_;
    if (tile_dims_.size() < 2) return;
    const std::int64_t widest = unroll(1, extent(tile_dims_[1]), most);
    if (tile_dims_.size() < 3) return;
    const std::int64_t rows = extent(tile_dims_[2]);
    unrolled_[2] = pick_divisor(random_, rows, most / widest);
    split_output(tile_dims_[2], rows / unrolled_[2], unrolled_[2]);
  }

  /// Splits `extent` steps of `unit` iterations evenly, or into blocks of two sizes with a loop
  /// over each block inside.
  void split_output(Dim dim, std::int64_t extent, std::int64_t unit) {
    std::vector<Part> parts =
        one_in(random_, 4) ? uneven_parts(extent, extent) : std::vector<Part>{};
    if (parts.empty()) return split(dim, extent);
    for (Part& part : parts) part.size *= unit;
    add_lambda(dim, std::move(parts));
    loops_.push_back(counted_loop(Kind::rest, name(dim), 0));
  }

  /// Moves each list of blocks (lambda) outside the loop whose trips it sets.
  void move_splits_outside() {
    for (auto rest = loops_.begin(); rest != loops_.end(); ++rest) {
      if (rest->kind != Kind::rest) continue;
      const auto lambda = std::find_if(rest, loops_.end(), [&](const Specifier& loop) {
        return loop.kind == Kind::lambda && loop.dim == rest->dim;
      });
      if (lambda != loops_.end()) std::iter_swap(rest, lambda);
    }
  }

  /// Moves reduction loops innermost, so that no sum is split.
  void gather_reductions() {
    std::stable_partition(loops_.begin(), loops_.end(),
                          [&](const Specifier& loop) { return !is_reduction(loop); });
  }

  Random& random_;
  const Computation& computation_;
  const std::int64_t lanes_, registers_;
  std::vector<Dim> tile_dims_;  ///< The order is vectors, columns, rows.
  /// Holds the unrolled sizes. If one is 0, a list of blocks (lambda) sets the size.
  std::vector<std::int64_t> unrolled_;
  std::int64_t most_vectors_ = 1;
  std::vector<Specifier> loops_;
};

}  // namespace

Schedule random_nest(Random& random, const Computation& computation, const Registers& registers) {
  return ScheduleDraw(random, computation, registers).draw();
}

bool holds_pixels(const Computation& computation, const Schedule& schedule) {
  return computation.role(computation.dim(schedule.loops.back().dim)) == Role::pixel;
}

}  // namespace tileplan::test
