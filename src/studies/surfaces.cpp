// SPDX-License-Identifier: Apache-2.0
// Evaluates the formulas, and descends as strategies do on schedules.
#include "surfaces.h"

#include <algorithm>
#include <deque>
#include <map>
#include <memory>
#include <numeric>
#include <set>
#include <sstream>

#include "computation.h"
#include "csv.h"
#include "flat.h"
#include "integers.h"
#include "studies.h"

namespace tileplan {

namespace {

constexpr double kCache = 32, kLine = 32, kSize = 100;  // C, L, n

std::vector<std::int64_t> paper_sizes() {
  constexpr std::int64_t kFirst = 1, kStep = 5, kLast = 96;
  std::vector<std::int64_t> sizes;
  for (std::int64_t size = kFirst; size <= kLast; size += kStep) sizes.push_back(size);
  return sizes;
}

std::vector<std::int64_t> sizes_to(std::int64_t last) {
  std::vector<std::int64_t> sizes(static_cast<std::size_t>(last));
  std::iota(sizes.begin(), sizes.end(), 1);
  return sizes;
}

/// Holds all costs of a surface, and its points as a space.
class Grid {
 public:
  explicit Grid(const Surface& surface) : widths_(static_cast<int>(surface.widths.size())) {
    for (const std::int64_t height : surface.heights)
      for (const std::int64_t width : surface.widths)
        costs_.push_back(surface.cost(static_cast<double>(height), static_cast<double>(width)));
    for (const auto* sizes : {&surface.heights, &surface.widths})
      space_.coordinates.push_back({.name = sizes == &surface.heights ? "height" : "width",
                                    .topology = Topology::discrete,
                                    .values = static_cast<int>(sizes->size())});
    space_.accepts = [](const SpacePoint&) { return true; };
  }

  double cost(const SpacePoint& point) const { return costs_[place(point)]; }
  double lowest() const { return std::ranges::min(costs_); }
  std::vector<SpacePoint> beside(const SpacePoint& point) const {
    return neighbours(space_, point);
  }

  std::vector<SpacePoint> points() const {
    std::vector<SpacePoint> all;
    all.reserve(costs_.size());
    for (int i = 0; i < static_cast<int>(costs_.size()); ++i)
      all.push_back({i / widths_, i % widths_});
    return all;
  }

  /// Returns the lowest neighbour of `point` if it is lower, else `point`.
  SpacePoint below(const SpacePoint& point) const {
    SpacePoint best = point;
    for (const SpacePoint& other : beside(point))
      if (cost(other) < cost(best)) best = other;
    return best;
  }

 private:
  std::size_t place(const SpacePoint& point) const {
    return static_cast<std::size_t>(point[0]) * static_cast<std::size_t>(widths_) +
           static_cast<std::size_t>(point[1]);
  }

  int widths_;
  std::vector<double> costs_;
  StrategySpace space_;
};

bool is_local_minimum(const Grid& grid, const SpacePoint& point) {
  return std::ranges::all_of(grid.beside(point), [&](const SpacePoint& other) {
    return grid.cost(point) < grid.cost(other);
  });
}

std::vector<SpacePoint> descent_from(const Grid& grid, const SpacePoint& start) {
  std::vector<SpacePoint> path{start};
  for (SpacePoint next = grid.below(start); next != path.back(); next = grid.below(next))
    path.push_back(next);
  return path;
}

std::vector<SpacePoint> falling_chain(const Grid& grid, const SpacePoint& start) {
  std::map<SpacePoint, SpacePoint> from{{start, start}};
  std::deque<SpacePoint> queue{start};
  while (!queue.empty()) {
    const SpacePoint point = queue.front();
    queue.pop_front();
    if (grid.cost(point) == grid.lowest()) {
      std::vector<SpacePoint> chain{point};
      while (chain.back() != start) chain.push_back(from.at(chain.back()));
      std::reverse(chain.begin(), chain.end());
      return chain;
    }
    for (const SpacePoint& next : grid.beside(point))
      if (grid.cost(next) < grid.cost(point) && from.try_emplace(next, point).second)
        queue.push_back(next);
  }
  return {};
}

/// Returns the bytes into caches of `capacities` elements, for tiles of i and j.
std::function<double(double, double)> movement_cost(
    const std::shared_ptr<const Computation>& product, std::vector<std::int64_t> capacities) {
  return [product, capacities = std::move(capacities)](double height, double width) {
    const Dim i = product->dim("i"), j = product->dim("j"), k = product->dim("k");
    const auto tile_i = static_cast<std::int64_t>(height);
    const auto tile_j = static_cast<std::int64_t>(width);
    Nest nest{.loops = {{.dim = i, .trips = product->extent(i) / tile_i, .parts = {}},
                        {.dim = j, .trips = product->extent(j) / tile_j, .parts = {}},
                        {.dim = k, .trips = product->extent(k), .parts = {}},
                        {.dim = i, .trips = tile_i, .parts = {}},
                        {.dim = j, .trips = tile_j, .parts = {}}}};
    for (int d = 0; d < product->dims(); ++d) nest.base[Dim{d}] = 1;
    std::int64_t elements = 0;
    for (const std::int64_t capacity : capacities)
      elements += weighted(*product, flat_volumes(*product, nest, capacity, CapacityRule::ideal));
    return static_cast<double>(elements * product->element_bytes());
  };
}

std::string at(const Surface& surface, const SpacePoint& point) {
  const std::int64_t height = surface.heights[static_cast<std::size_t>(point[0])];
  const std::int64_t width = surface.widths[static_cast<std::size_t>(point[1])];
  return std::string(1, '(')  // GCC 12 warns falsely of an overlap when "(" + is written
      .append(std::to_string(height))
      .append(", ")
      .append(std::to_string(width))
      .append(1, ')');
}

std::vector<std::string> labels(const std::vector<std::int64_t>& sizes) {
  std::vector<std::string> texts(sizes.size());
  std::ranges::transform(sizes, texts.begin(),
                         [](std::int64_t size) { return std::to_string(size); });
  return texts;
}

}  // namespace

std::vector<Surface> cost_surfaces() {
  const auto inverse_area = [](double h, double w) { return kCache / (h * w); };
  std::vector<Surface> surfaces{
      {"ESS", inverse_area},
      {"WMC", inverse_area},
      {"LRW", [](double h, double w) { return 1 / h + 1 / w + (2 * h + w) / kCache; }},
      {"TSS", [](double h, double w) { return (2 * h + w) / (h * w); }},
      {"EUC", [](double h, double w) { return 1 / h + 1 / w; }},
      {"MOON", [](double h, double w) { return 1 / h + 1 / w + (h + w) / kCache; }},
      {"TLI",
       [](double h, double w) {
         return 1 / h + 1 / w + (h - w) / kCache + h * w / (kCache * kCache);
       }},
      {"MHCF", [](double h, double w) {
         return (1 / h + 1.0 / 2) * (1 / kSize + 1 / kLine) + 2 / (h * w);
       }}};
  for (Surface& surface : surfaces) surface.heights = surface.widths = paper_sizes();
  return surfaces;
}

std::vector<Surface> remainder_surfaces() {
  constexpr std::int64_t kWidth = 63, kHeight = 64;
  const auto cost = [](double h, double w) {
    const bool leaves_remainder = kWidth % static_cast<std::int64_t>(w) != 0;
    return 1 + (leaves_remainder ? 1 : 0) + h / kHeight;
  };
  return {{"remainder, all sizes", cost, sizes_to(kHeight), sizes_to(kWidth)},
          {"remainder, divisors", cost, divisors(kHeight), divisors(kWidth)}};
}

std::vector<Surface> movement_surfaces() {
  constexpr std::int64_t kExtent = 10'000, kFirst = 64 << 10, kSecond = 256 << 10;
  constexpr std::int64_t kFloat = 4;  // bytes
  const auto product =
      std::make_shared<const Computation>(computation_of(parse_problem("m10000n10000k10000")));
  const std::vector<std::int64_t> sizes = divisors(kExtent);
  return {{"movement, 64 KiB", movement_cost(product, {kFirst / kFloat}), sizes, sizes, "bytes"},
          {"movement, 64 + 256 KiB", movement_cost(product, {kFirst / kFloat, kSecond / kFloat}),
           sizes, sizes, "bytes"}};
}

SurfaceShape shape_of(const Surface& surface) {
  const Grid grid(surface);
  const SpacePoint first{0, 0};
  SurfaceShape shape{.minimum = first, .value = grid.lowest(), .descent = {}, .chain = {}};
  const std::vector<SpacePoint> points = grid.points();
  shape.minimum = *std::ranges::find(points, shape.value,
                                     [&](const SpacePoint& point) { return grid.cost(point); });
  for (const SpacePoint& point : points) {
    shape.local_minima += is_local_minimum(grid, point) ? 1 : 0;
    shape.starts += grid.cost(descent_from(grid, point).back()) == shape.value ? 1 : 0;
  }
  shape.descent = descent_from(grid, first);
  shape.chain = falling_chain(grid, first);
  std::set<SpacePoint> seen{first};
  for (const SpacePoint& point : shape.descent)
    for (const SpacePoint& other : grid.beside(point)) seen.insert(other);
  shape.evaluations = static_cast<int>(seen.size());
  return shape;
}

HeatMap heat_map_of(const Surface& surface, const SurfaceShape& shape) {
  const auto cell = [](const SpacePoint& point) {
    return HeatCell{.column = static_cast<std::size_t>(point[1]),
                    .row = static_cast<std::size_t>(point[0])};
  };
  HeatMap map{.titles = {.title = surface.name,
                         .x = "tile width [elements]",
                         .y = "tile height [elements]"},
              .x_labels = labels(surface.widths),
              .y_labels = labels(surface.heights),
              .value_title = surface.unit.empty() ? "cost" : "cost [" + surface.unit + "]",
              .log_values = shape.value > 0,
              .marked = cell(shape.minimum)};
  for (const std::int64_t height : surface.heights) {
    std::vector<double>& row = map.values.emplace_back();
    for (const std::int64_t width : surface.widths)
      row.push_back(surface.cost(static_cast<double>(height), static_cast<double>(width)));
  }
  for (const SpacePoint& point : shape.descent) map.path.push_back(cell(point));
  return map;
}

std::string surface_text(const Surface& surface, const SurfaceShape& shape) {
  const std::size_t points = surface.heights.size() * surface.widths.size();
  const bool reaches = shape.descent.back() == shape.minimum;
  std::ostringstream line;
  line << surface.name << ": minimum " << shape.value
       << (surface.unit.empty() ? "" : " " + surface.unit) << " at " << at(surface, shape.minimum)
       << ", " << shape.local_minima << " local minima; descent from "
       << at(surface, shape.descent.front()) << ' '
       << (reaches ? "reaches it" : "stops at " + at(surface, shape.descent.back())) << " after "
       << shape.evaluations << " of " << points << " points; "
       << (shape.chain.empty()
               ? "no falling chain leads there"
               : "a falling chain of " + std::to_string(shape.chain.size()) + " points leads to it")
       << "; descent reaches that value from " << shape.starts << " of " << points << " starts\n";
  return line.str();
}

void study_surfaces(const StudyOptions& options, const Print& print) {
  StudyFolder folder(options, print);
  std::string table =
      "# Costs by formula, of tiles of (height, width): the Droplet paper's list with C = L = 32 "
      "and "
      "n = 100, its counter-example, our movement model. No machine took part.\n"
      "formula,height,width,cost\n";
  std::vector<Surface> surfaces = cost_surfaces();
  for (const auto& more : {remainder_surfaces(), movement_surfaces()})
    surfaces.insert(surfaces.end(), more.begin(), more.end());
  for (const Surface& surface : surfaces) {
    const SurfaceShape shape = shape_of(surface);
    const HeatMap map = heat_map_of(surface, shape);
    folder.write("surface-" + file_part(surface.name) + ".svg", heat_map_svg(map));
    for (std::size_t row = 0; row < map.values.size(); ++row)
      for (std::size_t column = 0; column < map.values[row].size(); ++column)
        table += csv_line({surface.name, map.y_labels[row], map.x_labels[column],
                           csv_number(map.values[row][column])});
    folder.say(surface_text(surface, shape));
  }
  folder.write("surfaces.csv", table);
}

}  // namespace tileplan
