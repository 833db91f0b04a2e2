// SPDX-License-Identifier: Apache-2.0
// The loops follow topi/x86/conv2d_avx_common.py and conv2d_avx_1x1.py of TVM.
#include "template_space.h"

#include <algorithm>
#include <memory>

#include "integers.h"
#include "loop_features.h"

namespace tileplan {

namespace {

constexpr std::int64_t kMostColumns = 64;
// The layout nChw16c has blocks of this many channels, which fill a vector of AVX-512.
constexpr int kWideBlock = 16;

using Values = std::vector<std::int64_t>;

std::vector<std::int64_t> column_tiles(std::int64_t columns) {
  Values tiles = divisors(columns);
  for (std::int64_t power = 1; power <= columns; power *= 2) tiles.push_back(power);
  std::ranges::sort(tiles);
  tiles.erase(std::unique(tiles.begin(), tiles.end()), tiles.end());
  std::erase_if(tiles, [](std::int64_t tile) { return tile > kMostColumns; });
  return tiles;
}

Values channel_tiles(std::int64_t channels, int lanes) {
  Values tiles = divisors(channels);
  std::erase_if(tiles, [&](std::int64_t tile) { return tile % lanes != 0; });
  return tiles;
}

/// Holds the values of the four coordinates (knobs), and writes the loops of the template.
class Template {
 public:
  Template(const ConvShape& shape, int lanes)
      : shape_(shape),
        lanes_(lanes),
        pointwise_(shape.height.filter == 1 && shape.width.filter == 1),
        values_{divisors(shape.c), channel_tiles(shape.k, lanes), column_tiles(shape.width.out),
                pointwise_ ? Values{1, 2} : Values{0, 1}} {}

  std::vector<Coordinate> coordinates() const {
    const char* const names[] = {"tile_ic", "tile_oc", "tile_ow",
                                 pointwise_ ? "tile_oh" : "unroll_kw"};
    std::vector<Coordinate> all;
    all.reserve(values_.size());
    for (std::size_t i = 0; i < values_.size(); ++i)
      all.push_back({.name = names[i], .values = static_cast<int>(values_[i].size())});
    return all;
  }

  /// Returns false when the rows of a register tile do not divide the rows of the output.
  bool fits(const SpacePoint& point) const { return shape_.height.out % rows(point) == 0; }

  Schedule schedule(const SpacePoint& point) const {
    const std::int64_t ic = value(point, 0), oc = value(point, 1), high = rows(point);
    Schedule schedule;
    schedule.in = schedule.out = lanes_ == kWideBlock ? Layout::nChw16c : Layout::nChw8c;
    Loops loops{schedule.loops};
    loops.tile("n", shape_.n);
    loops.tile("k", shape_.k / oc);
    loops.tile("h", shape_.height.out / high);
    const bool is_sized = loops.columns(shape_.width.out, value(point, 2));
    loops.tile("c", shape_.c / ic);
    loops.tile("r", shape_.height.filter);
    const bool unrolled = !pointwise_ && value(point, 3) == 1;
    if (unrolled) loops.tile("c", ic);
    loops.tile("s", shape_.width.filter);
    if (!unrolled) loops.tile("c", ic);
    loops.unroll("h", high);
    loops.unroll("w", is_sized ? 0 : std::min(value(point, 2), shape_.width.out));
    loops.unroll("k", oc / lanes_);
    schedule.loops.push_back({.kind = Kind::vector, .dim = "k"});
    return schedule;
  }

 private:
  struct Loops {
    std::vector<Specifier>& all;

    void tile(const char* dim, std::int64_t trips) {
      if (trips > 1) all.push_back({.kind = Kind::tile, .dim = dim, .count = trips});
    }
    /// Adds the loop over tiles of `size` columns. Returns true if the last tile is smaller.
    bool columns(std::int64_t extent, std::int64_t size) {
      const std::int64_t whole = extent / size, rest = extent % size;
      if (rest == 0) {
        tile("w", whole);
        return false;
      }
      all.push_back({.kind = Kind::lambda, .dim = "w", .parts = {{whole, size}, {1, rest}}});
      return true;
    }
    void unroll(const char* dim, std::int64_t size) {
      if (size != 1) all.push_back({.kind = Kind::unroll, .dim = dim, .count = size});
    }
  };

  std::int64_t value(const SpacePoint& point, std::size_t knob) const {
    return values_[knob][static_cast<std::size_t>(point[knob])];
  }
  std::int64_t rows(const SpacePoint& point) const { return pointwise_ ? value(point, 3) : 1; }

  ConvShape shape_;
  int lanes_;
  bool pointwise_;
  std::array<Values, 4> values_;
};

}  // namespace

std::optional<StrategySpace> template_space(const Problem& problem, const VectorUnit& unit,
                                            Runnable runnable) {
  const auto* const shape = std::get_if<ConvShape>(&problem);
  const bool is_flat = shape != nullptr && shape->depth == Axis{};
  if (!is_flat || shape->g != 1 || channel_tiles(shape->k, unit.lanes).empty()) return std::nullopt;
  const auto knobs = std::make_shared<Template>(*shape, unit.lanes);
  const auto computation = std::make_shared<Computation>(computation_of(problem));
  const int lanes = unit.lanes;
  return StrategySpace{
      .coordinates = knobs->coordinates(),
      .chains = {},
      .accepts =
          [knobs, runnable = std::move(runnable)](const SpacePoint& point) {
            return knobs->fits(point) && runnable(knobs->schedule(point));
          },
      .text = [knobs](const SpacePoint& point) { return to_string(knobs->schedule(point)); },
      .features =
          [knobs, computation, lanes](const SpacePoint& point) {
            return loop_features(*computation, knobs->schedule(point), lanes);
          }};
}

}  // namespace tileplan
