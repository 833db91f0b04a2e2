// SPDX-License-Identifier: Apache-2.0
// Draws are free, and drawn again when they are too large; what no kernel has is refused by
// compile().
#include "draw.h"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <vector>

#include "integers.h"

namespace tileplan::test {

namespace {

constexpr std::int64_t kLargest = 70;              // of every size
constexpr std::int64_t kMultiplyAdds = 3'000'000;  // the plain definition takes 3 ns for each
constexpr int kBoxTries = 3;                       // for a box, where vectors are of pixels
constexpr double kNoLimit = std::numeric_limits<double>::infinity();

bool one_in(Random& random, int times) { return pick(random, 1, times) == 1; }

/// Whole vectors every fifth time, then small sizes as often as large ones.
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
  const std::int64_t window = (axis.filter - 1) * axis.dilation + 1;
  axis.in = std::max(axis.in, window - axis.pad_before - axis.pad_after);
  axis.out = (axis.in + axis.pad_before + axis.pad_after - window) / axis.stride + 1;
  // Padding after the input is what the last window reads of it.
  axis.pad_after =
      std::max<std::int64_t>(0, (axis.out - 1) * axis.stride + window - axis.in - axis.pad_before);
  return axis;
}

ConvShape random_channels(Random& random) {
  ConvShape shape;
  const std::int64_t kind = pick(random, 0, 5);
  if (kind == 0) {  // depthwise, with a multiplier every third time
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

ConvShape random_problem(Random& random) {
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

Specifier specifier(Kind kind, const char* dim, std::int64_t count) {
  return {.kind = kind, .dim = dim, .count = count, .parts = {}};
}

bool is_summed(const std::string& dim) {
  return dim == "c" || dim == "t" || dim == "r" || dim == "s";
}

/// Loops over a dim, its part in the register tile, and whether a lambda sizes that part.
class ScheduleDraw {
 public:
  ScheduleDraw(Random& random, const Drawn& drawn)
      : random_(random),
        shape_(drawn.shape),
        lanes_((drawn.isa == Isa::avx512 ? 64 : 32) / bytes_of(drawn.shape.type)),
        registers_(drawn.isa == Isa::avx2 ? 16 : 32) {}

  Schedule draw() {
    const bool plain_depthwise = shape_.g > 1 && shape_.c == shape_.g && shape_.k == shape_.g;
    vector_dim_ = plain_depthwise && one_in(random_, 2) ? "g" : "k";
    if (one_in(random_, 3)) {
      vector_dim_ = "w";
      column_dim_ = "k";
    }
    draw_vectors(extent(vector_dim_[0]));
    draw_rows();
    split("n", shape_.n);
    if (vector_dim_[0] != 'g') split("g", shape_.g);
    if (vector_dim_[0] == 'g') split("k", extent('k'));
    split("c", shape_.c / shape_.g);
    split("r", shape_.height.filter);
    split("s", shape_.width.filter);
    split("d", shape_.depth.out);
    split("t", shape_.depth.filter);
    std::shuffle(loops_.begin(), loops_.end(), random_);
    if (one_in(random_, 2)) gather_reductions();
    move_splits_outside();
    loops_.push_back(specifier(Kind::unroll, "h", unroll_h_));
    loops_.push_back(specifier(Kind::unroll, column_dim_, unroll_columns_));
    loops_.push_back(specifier(Kind::unroll, vector_dim_, vectors_));
    loops_.push_back(specifier(Kind::vector, vector_dim_, 0));
    Schedule schedule;
    schedule.loops = loops_;
    return schedule;
  }

 private:
  std::int64_t extent(char dim) const {
    return dim == 'g' ? shape_.g : dim == 'k' ? shape_.k / shape_.g : shape_.width.out;
  }

  void split(const char* dim, std::int64_t extent) {
    while (extent > 1) {
      const std::int64_t factor =
          one_in(random_, 2) ? extent : pick_divisor(random_, extent, extent);
      if (factor > 1) loops_.push_back(specifier(Kind::tile, dim, factor));
      extent /= factor;
    }
  }

  /// a1 * size1 + a2 * size2 = extent with sizes up to `most`; nothing when no such cover is met.
  std::vector<Part> cover(std::int64_t extent, std::int64_t most) {
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

  void add_lambda(const char* dim, std::vector<Part> parts) {
    loops_.push_back({.kind = Kind::lambda, .dim = dim, .count = 0, .parts = std::move(parts)});
  }

  void draw_vectors(std::int64_t channels) {
    const std::int64_t all = ceil_div(channels, lanes_);
    std::vector<Part> parts = one_in(random_, 3) ? cover(all, 3) : std::vector<Part>{};
    most_vectors_ = vectors_ = pick_divisor(random_, all, 4);
    if (parts.empty()) return split_output(vector_dim_, all / vectors_, vectors_);
    most_vectors_ = std::max(parts[0].size, parts[1].size);
    vectors_ = 0;
    add_lambda(vector_dim_, std::move(parts));
  }

  void draw_rows() {
    const bool pixels = vector_dim_[0] == 'w';  // whose rows may each need a weight
    const std::int64_t most = pixels ? (registers_ - 2) / (most_vectors_ + 1)
                                     : (registers_ - 1 - most_vectors_) / most_vectors_;
    const std::int64_t columns = extent(column_dim_[0]);
    std::vector<Part> parts = one_in(random_, 3) ? cover(columns, most) : std::vector<Part>{};
    std::int64_t widest = unroll_columns_ = pick_divisor(random_, columns, most);
    if (parts.empty()) {
      split_output(column_dim_, columns / unroll_columns_, unroll_columns_);
    } else {
      widest = std::max(parts[0].size, parts[1].size);
      unroll_columns_ = 0;
      add_lambda(column_dim_, std::move(parts));
    }
    unroll_h_ = pick_divisor(random_, shape_.height.out, most / widest);
    split_output("h", shape_.height.out / unroll_h_, unroll_h_);
  }

  /// Like `split`; or blocks of two sizes, in `unit` iterations, and a loop inside that they size.
  void split_output(const char* dim, std::int64_t extent, std::int64_t unit) {
    std::vector<Part> parts = one_in(random_, 4) ? cover(extent, extent) : std::vector<Part>{};
    if (parts.empty()) return split(dim, extent);
    for (Part& part : parts) part.size *= unit;
    add_lambda(dim, std::move(parts));
    loops_.push_back(specifier(Kind::rest, dim, 0));
  }

  /// A lambda stands outside the loop that it sizes.
  void move_splits_outside() {
    for (auto rest = loops_.begin(); rest != loops_.end(); ++rest) {
      if (rest->kind != Kind::rest) continue;
      const auto lambda = std::find_if(rest, loops_.end(), [&](const Specifier& loop) {
        return loop.kind == Kind::lambda && loop.dim == rest->dim;
      });
      if (lambda != loops_.end()) std::iter_swap(rest, lambda);
    }
  }

  /// Reduction loops innermost: sums are not split.
  void gather_reductions() {
    std::stable_partition(loops_.begin(), loops_.end(),
                          [](const Specifier& loop) { return !is_summed(loop.dim); });
  }

  Random& random_;
  const ConvShape& shape_;
  const std::int64_t lanes_, registers_;
  const char* vector_dim_ = "k";
  const char* column_dim_ = "w";
  std::int64_t vectors_ = 1, most_vectors_ = 1, unroll_h_ = 1, unroll_columns_ = 1;
  std::vector<Specifier> loops_;
};

/// True when a loop over pixels, channels or groups stands inside a reduction loop.
bool splits_sum(const Schedule& schedule) {
  bool inside = false;
  for (const Specifier& loop : schedule.loops) {
    if (loop.kind == Kind::unroll || loop.kind == Kind::vector) break;
    const bool reduction = is_summed(loop.dim);
    if (inside && !reduction) return true;
    inside = inside || reduction;
  }
  return false;
}

bool is_blocked(Layout layout) { return layout == Layout::nChw16c || layout == Layout::nChw8c; }

bool has_limits(const Epilogue& epilogue) {
  return epilogue.low > -kNoLimit || epilogue.high < kNoLimit;
}

bool is_depthwise(const ConvShape& shape) { return shape.g > 1 && shape.c == shape.g; }

bool is_strided(const Axis& h, const Axis& w) { return h.stride > 1 || w.stride > 1; }

bool is_dilated(const Axis& h, const Axis& w) { return h.dilation > 1 || w.dilation > 1; }

bool is_parallel(const Schedule& schedule) {
  return std::any_of(schedule.loops.begin(), schedule.loops.end(),
                     [](const Specifier& loop) { return loop.kind == Kind::parallel; });
}

bool has_uneven_padding(const Axis& axis) { return axis.pad_before != axis.pad_after; }

const Specifier* find(const Schedule& schedule, Kind kind, const char* dim) {
  for (const Specifier& loop : schedule.loops)
    if (loop.kind == kind && loop.dim == dim) return &loop;
  return nullptr;
}

}  // namespace

Drawn draw(Random& random) {
  Drawn drawn{.shape = random_problem(random), .schedule = {}, .epilogue = {}, .isa = Isa::avx2};
  if (__builtin_cpu_supports("avx512f") != 0 && one_in(random, 2)) drawn.isa = Isa::avx512;
  if (__builtin_cpu_supports("avx512vl") != 0 && one_in(random, 4)) drawn.isa = Isa::avx512vl;
  if (one_in(random, 3)) drawn.shape.type = ElementType::f64;
  drawn.schedule = with_parallel_loops(random, ScheduleDraw(random, drawn).draw());
  drawn.threads = static_cast<int>(pick(random, 1, 4));
  drawn.schedule.in = random_layout(random, drawn.isa, drawn.shape.type);
  drawn.schedule.out = random_layout(random, drawn.isa, drawn.shape.type);
  const bool pixels = drawn.schedule.loops.back().dim == "w";
  // Boxes hold vectors of pixels whatever the layout; outputs must.
  if (pixels && one_in(random, 2)) drawn.schedule.out = Layout::nchw;
  drawn.schedule.pack_input = random_box(random, drawn.schedule);
  for (int i = 0; pixels && !drawn.schedule.pack_input && i < kBoxTries; ++i)
    drawn.schedule.pack_input = random_box(random, drawn.schedule);
  drawn.schedule.prefetch = static_cast<int>(pick(random, 0, 2)) * 4;
  drawn.schedule.nontemporal = one_in(random, 4);
  if (!one_in(random, 3)) drawn.epilogue = random_epilogue(random);
  return drawn;
}

std::string to_string(const Drawn& drawn) {
  return tileplan::to_string(drawn.shape) + " '" + tileplan::to_string(drawn.schedule) + "' " +
         tileplan::to_string(drawn.epilogue) + " " + tileplan::to_string(drawn.isa) + " " +
         std::to_string(drawn.threads) + " threads";
}

void count_features(const Drawn& drawn, FeatureCounts& counts) {
  const auto& [shape, schedule, epilogue, isa, threads] = drawn;
  const Axis &h = shape.height, &w = shape.width;
  const std::int64_t lanes = (isa == Isa::avx512 ? 64 : 32) / bytes_of(shape.type);
  const char over = schedule.loops.back().dim[0];
  const std::string over_text(1, over);
  const Specifier* const vectors = find(schedule, Kind::unroll, over_text.c_str());
  const Specifier* const rows = find(schedule, Kind::unroll, "h");
  const Specifier* const columns = find(schedule, Kind::unroll, over == 'w' ? "k" : "w");
  const bool parallel = is_parallel(schedule);
  const bool has[] = {isa == Isa::avx2,
                      isa == Isa::avx512,
                      isa == Isa::avx512vl,
                      shape.type == ElementType::f32,
                      shape.type == ElementType::f64,
                      shape.n > 1,
                      h == Axis{},
                      shape.depth != Axis{},
                      shape.g > 1,
                      is_depthwise(shape),
                      is_depthwise(shape) && shape.k > shape.g,
                      h.filter == 1 && w.filter == 1,
                      is_strided(h, w),
                      h.stride != w.stride,
                      is_dilated(h, w),
                      h.pad_before + h.pad_after + w.pad_before + w.pad_after > 0,
                      has_uneven_padding(h) || has_uneven_padding(w),
                      schedule.in == Layout::nhwc,
                      schedule.in == Layout::nchw,
                      is_blocked(schedule.in),
                      schedule.out == Layout::nhwc,
                      schedule.out == Layout::nchw,
                      is_blocked(schedule.out),
                      schedule.in != schedule.out,
                      over != 'w' && (over == 'g' ? shape.g : shape.k / shape.g) % lanes != 0,
                      over == 'k',
                      over == 'g',
                      over == 'w',
                      over == 'w' && w.out % lanes != 0,
                      over == 'w' && columns->count > 1,
                      columns->count == 0,
                      vectors->count == 0,
                      splits_sum(schedule),
                      parallel,
                      parallel && threads > 1,
                      vectors->count > 1,
                      rows->count > 1 && columns->count != 1,
                      schedule.pack_input.has_value(),
                      schedule.prefetch > 0,
                      schedule.nontemporal,
                      epilogue.accumulate,
                      epilogue.bias,
                      epilogue.add,
                      has_limits(epilogue),
                      epilogue == Epilogue{},
                      std::any_of(schedule.loops.begin(), schedule.loops.end(),
                                  [](const Specifier& loop) { return loop.kind == Kind::rest; })};
  static_assert(std::size(has) == kFeatures.size());
  for (std::size_t i = 0; i < kFeatures.size(); ++i) counts[i] += has[i] ? 1 : 0;
}

}  // namespace tileplan::test
