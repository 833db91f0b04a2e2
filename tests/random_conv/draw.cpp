// SPDX-License-Identifier: Apache-2.0
// Draws are unrestricted, and drawn again when the problem is too large or compile() refuses it.
#include "draw.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "integers.h"
#include "merge_dims.h"
#include "random_relation.h"
#include "random_schedule.h"

namespace tileplan::test {

namespace {

constexpr std::int64_t kLargest = 70;  // No extent is larger.
// The plain definition takes 3 ns per multiply-add.
constexpr std::int64_t kMultiplyAdds = 3'000'000;
constexpr int kBoxTries = 4;  // Packing the input for vectors of pixels is tried this often.

bool one_in(Random& random, int times) { return pick(random, 1, times) == 1; }

/// Draws a multiple of whole vectors with probability 1/5. Otherwise draws from small sizes or from
/// all sizes, equally often.
std::int64_t random_size(Random& random) {
  constexpr std::int64_t kVector = 16;
  if (one_in(random, 5)) return kVector * pick(random, 1, kLargest / kVector);
  return one_in(random, 2) ? pick(random, 1, 12) : pick(random, 1, kLargest);
}

Axis random_axis_up_to_largest(Random& random) {
  Axis axis{.in = random_size(random),
            .filter = one_in(random, 3) ? 1 : pick(random, 1, 5),
            .stride = one_in(random, 2) ? 1 : pick(random, 1, 4),
            .dilation = one_in(random, 2) ? 1 : pick(random, 1, 3),
            .pad_before = one_in(random, 2) ? 0 : pick(random, 0, 4),
            .pad_after = one_in(random, 2) ? 0 : pick(random, 0, 4)};
  axis = with_output(axis);
  const std::int64_t window = (axis.filter - 1) * axis.dilation + 1;
  // The padding after the input is as long as the last window reads.
  axis.pad_after =
      std::max<std::int64_t>(0, (axis.out - 1) * axis.stride + window - axis.in - axis.pad_before);
  return axis;
}

ConvShape random_channels(Random& random) {
  ConvShape shape;
  const std::int64_t kind = pick(random, 0, 5);
  if (kind == 0) {  // This is a depthwise convolution, in a third of the cases with a multiplier.
    shape.g = random_size(random);
    shape.c = shape.g;
    shape.k = shape.g * (one_in(random, 3) ? pick(random, 2, 3) : 1);
  } else {
    shape.g = kind == 1 ? pick(random, 2, 8) : 1;
    const std::int64_t most = kLargest / shape.g;
    shape.c = shape.g * std::min(random_size(random), most);
    shape.k = shape.g * std::min(random_size(random), most);
  }
  return shape;
}

std::int64_t multiply_adds(const ConvShape& s) {
  std::int64_t product = s.n * s.k * (s.c / s.g);
  for (const Axis& axis : {s.depth, s.height, s.width}) product *= axis.out * axis.filter;
  return product;
}

ConvShape random_conv(Random& random) {
  while (true) {
    ConvShape shape = random_channels(random);
    shape.n = one_in(random, 3) ? pick(random, 2, 4) : 1;
    const bool rows = !one_in(random, 8);
    if (rows && one_in(random, 5)) shape.depth = random_depth(random);
    if (rows) shape.height = random_axis_up_to_largest(random);
    shape.width = rows && one_in(random, 4) ? shape.height : random_axis_up_to_largest(random);
    if (multiply_adds(shape) <= kMultiplyAdds) return shape;
  }
}

GemmShape random_gemm(Random& random) {
  while (true) {
    GemmShape shape = random_product(random);
    if (shape.b * shape.m * shape.n * shape.k <= kMultiplyAdds / 10) return shape;
  }
}

Problem random_problem(Random& random) {
  constexpr std::int64_t kConvs = 6, kProducts = 1, kRelations = 2;
  const std::int64_t kind = pick(random, 1, kConvs + kProducts + kRelations);
  if (kind <= kRelations) return random_relation(random);
  if (kind <= kRelations + kProducts) return random_gemm(random);
  ConvShape shape = random_conv(random);
  if (one_in(random, 3)) shape.type = ElementType::f64;
  return shape;
}

/// Draws the register tile first: vectors along one output dim, columns along a second, and rows
/// along a third. Then splits the remaining extent of each dim into loops.
class ScheduleDraw {
 public:
  ScheduleDraw(Random& random, const Computation& computation, const RandomCase& drawn)
      : random_(random),
        computation_(computation),
        lanes_(lanes_of(drawn)),
        registers_(drawn.isa == Isa::avx2 ? 16 : 32) {}

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
    // Kernels cannot pack the input when all tensors contain the vectorised dim.
    const int tries =
        is_over_pixels() ? kBoxTries : computation_.role(tile_dims_[0]) != Role::batch;
    for (int i = 0; i < tries && !schedule.pack_input; ++i)
      schedule.pack_input = random_box(random_, schedule, summed);
    return schedule;
  }

  /// Returns true when a vector holds neighbouring pixels.
  bool is_over_pixels() const { return computation_.role(tile_dims_[0]) == Role::pixel; }

 private:
  const std::string& name(Dim dim) const { return computation_.name(dim); }
  std::int64_t extent(Dim dim) const { return computation_.extent(dim); }
  bool is_reduction(const Specifier& loop) const {
    return computation_.role(computation_.dim(loop.dim)) == Role::reduction;
  }

  /// Chooses the output dims of vectors, columns and rows.
  void draw_tile_dims() {
    constexpr std::size_t kTileDims = 3;
    std::vector<Dim> dims;
    for (const DataDim& data : computation_.tensor(Operand::output).data)
      for (const Term& term : data.terms) dims.push_back(term.dim);
    const Dim vector = draw_vector_dim(dims);
    std::shuffle(dims.begin(), dims.end(), random_);
    // A dim of extent 1 is of no use in a tile, but vectors may still run along it.
    std::stable_partition(dims.begin(), dims.end(), [&](Dim dim) { return extent(dim) > 1; });
    const auto wanted = std::find(dims.begin(), dims.end(), vector);
    std::rotate(dims.begin(), wanted, wanted + 1);
    dims.resize(std::min(dims.size(), kTileDims));
    tile_dims_ = dims;
    unrolled_.assign(dims.size(), 1);
  }

  /// With probability 2/3, vectors run along the channels of a convolution, or along the last
  /// output index of another problem. Otherwise, they run along pixels, or along any output dim.
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

  /// Returns parts with a1 * size1 + a2 * size2 = extent and sizes up to `most`, or no parts when a
  /// few tries find none.
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

  /// Unrolls tile dim `at`, of `extent` steps, by at most `most`, in a third of the cases by two
  /// sizes. Returns the larger size.
  std::int64_t unroll(std::size_t at, std::int64_t extent, std::int64_t most) {
    const Dim dim = tile_dims_[at];
    std::vector<Part> parts = one_in(random_, 3) ? uneven_parts(extent, most) : std::vector<Part>{};
    if (parts.empty()) {
      unrolled_[at] = pick_divisor(random_, extent, most);
      split_output(dim, extent / unrolled_[at], unrolled_[at]);
      return unrolled_[at];
    }
    const std::int64_t widest = std::max(parts[0].size, parts[1].size);
    unrolled_[at] = 0;  // The lambda sets the size.
    add_lambda(dim, std::move(parts));
    return widest;
  }

  void draw_vectors() {
    const std::int64_t all = ceil_div(extent(tile_dims_[0]), lanes_);
    most_vectors_ = unroll(0, all, one_in(random_, 3) ? 3 : 4);
  }

  void draw_rows() {
    // With vectors of pixels, each row may need a register for its weight.
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
  /// inside that has one block as its extent.
  void split_output(Dim dim, std::int64_t extent, std::int64_t unit) {
    std::vector<Part> parts =
        one_in(random_, 4) ? uneven_parts(extent, extent) : std::vector<Part>{};
    if (parts.empty()) return split(dim, extent);
    for (Part& part : parts) part.size *= unit;
    add_lambda(dim, std::move(parts));
    loops_.push_back(counted_loop(Kind::rest, name(dim), 0));
  }

  /// Places each lambda outside the loop whose trips it sets.
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
  std::vector<Dim> tile_dims_;          ///< The order is vectors, columns, rows.
  std::vector<std::int64_t> unrolled_;  ///< A lambda sets entries that are 0.
  std::int64_t most_vectors_ = 1;
  std::vector<Specifier> loops_;
};

Isa random_isa(Random& random) {
  Isa isa = Isa::avx2;
  if (__builtin_cpu_supports("avx512f") != 0 && one_in(random, 2)) isa = Isa::avx512;
  if (__builtin_cpu_supports("avx512vl") != 0 && one_in(random, 4)) isa = Isa::avx512vl;
  return isa;
}

/// Vectors of pixels need an nchw output, while the input may also be packed.
void draw_layouts(Random& random, bool is_over_pixels, RandomCase& drawn) {
  const ElementType type = type_of(drawn.problem);
  drawn.schedule.in = random_layout(random, drawn.isa, type);
  drawn.schedule.out = random_layout(random, drawn.isa, type);
  if (is_over_pixels && one_in(random, 2)) drawn.schedule.out = Layout::nchw;
}

/// Draws a loop whose next iteration's weights or input can be prefetched. Returns nothing in half
/// of the cases, and when the loops do not fit the problem.
std::optional<int> draw_prefetched_loop(Random& random, const RandomCase& drawn) {
  try {
    return random_ahead(random, drawn.problem, drawn.schedule, lanes_of(drawn));
  } catch (const Error&) {
    return std::nullopt;
  }
}

}  // namespace

int lanes_of(const RandomCase& drawn) {
  return (drawn.isa == Isa::avx512 ? 64 : 32) / static_cast<int>(bytes_of(type_of(drawn.problem)));
}

RandomCase random_case(Random& random) {
  RandomCase drawn{.problem = random_problem(random), .schedule = {}, .epilogue = {}};
  drawn.isa = random_isa(random);
  const Computation whole = computation_of(drawn.problem);
  const Computation computation = one_in(random, 3) ? whole : merge_adjacent_dims(whole);
  ScheduleDraw draw(random, computation, drawn);
  drawn.schedule = draw.draw();
  if (std::holds_alternative<ConvShape>(drawn.problem))
    draw_layouts(random, draw.is_over_pixels(), drawn);
  drawn.threads = static_cast<int>(pick(random, 1, 4));
  drawn.schedule.prefetch = static_cast<int>(pick(random, 0, 2)) * 4;
  drawn.schedule.nontemporal = one_in(random, 4);
  drawn.schedule.ahead = draw_prefetched_loop(random, drawn);
  if (!one_in(random, 3)) drawn.epilogue = random_epilogue(random);
  return drawn;
}

std::string to_string(const RandomCase& drawn) {
  return tileplan::to_string(drawn.problem) + " '" + tileplan::to_string(drawn.schedule) + "' " +
         tileplan::to_string(drawn.epilogue) + " " + tileplan::to_string(drawn.isa) + " " +
         std::to_string(drawn.threads) + " threads";
}

}  // namespace tileplan::test
