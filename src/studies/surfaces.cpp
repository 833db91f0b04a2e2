// SPDX-License-Identifier: Apache-2.0
// Formulas, and the descent that the strategies run on schedules.
#include "surfaces.h"

#include <filesystem>
#include <sstream>

#include "atomic_write.h"
#include "droplet.h"
#include "session.h"

namespace tileplan {

namespace {

constexpr std::int64_t kFirst = 1, kStep = 5, kLast = 96;
constexpr double kCache = 32, kLine = 32, kSize = 100;  // C, L, n

Space surface_space() {
  const auto values = static_cast<int>(surface_sizes().size());
  Space space;
  for (const char* name : {"height", "width"})
    space.coordinates.push_back({.name = name, .topology = Topology::discrete, .values = values});
  space.accepts = [](const SpacePoint&) { return true; };
  space.text = [](const SpacePoint& point) {
    return std::to_string(point[0]) + ' ' + std::to_string(point[1]);
  };
  return space;
}

double cost_at(const Surface& surface, const SpacePoint& point) {
  const std::vector<std::int64_t> sizes = surface_sizes();
  return surface.cost(static_cast<double>(sizes[point[0]]), static_cast<double>(sizes[point[1]]));
}

SpacePoint point_of(const std::string& text) {
  SpacePoint point(2);
  std::istringstream(text) >> point[0] >> point[1];
  return point;
}

}  // namespace

std::vector<std::int64_t> surface_sizes() {
  std::vector<std::int64_t> sizes;
  for (std::int64_t size = kFirst; size <= kLast; size += kStep) sizes.push_back(size);
  return sizes;
}

std::vector<Surface> cost_surfaces() {
  const auto inverse_area = [](double h, double w) { return kCache / (h * w); };
  return {{"ESS", inverse_area},
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
}

SurfaceShape shape_of(const Surface& surface) {
  const Space space = surface_space();
  const int count = space.coordinates.front().values;
  SurfaceShape shape{.minimum = {0, 0}, .value = cost_at(surface, {0, 0}), .descent = {}};
  for (int h = 0; h < count; ++h)
    for (int w = 0; w < count; ++w) {
      const SpacePoint here{h, w};
      const double cost = cost_at(surface, here);
      if (cost < shape.value) {
        shape.value = cost;
        shape.minimum = here;
      }
      bool lowest = true;
      for (const SpacePoint& other : neighbours(space, here))
        lowest = lowest && cost < cost_at(surface, other);
      shape.local_minima += lowest ? 1 : 0;
    }
  // A formula takes no time and has no noise: one sample, means alone.
  Session session(
      [&](const std::string& text) {
        return Evaluation{.samples = {cost_at(surface, point_of(text))}, .failure = ""};
      },
      {.measurements = count * count + 1, .seconds = 1}, [] { return 0.0; });
  const DropletPath path =
      droplet_search(space, session, {.origin = {0, 0}, .p_value = 1, .width = 1});
  shape.descent = path.candidates.back();
  shape.evaluations = static_cast<int>(session.history().size());
  return shape;
}

void study_surfaces(const std::string& folder, const std::function<void(const std::string&)>& say) {
  const std::vector<std::int64_t> sizes = surface_sizes();
  std::ostringstream table, summary;
  table.precision(17);
  table << "# Costs by formula (algorithms: the Droplet paper's list); C = L = 32, n = 100. No "
           "machine took part.\nformula,height,width,cost\n";
  summary << "formula  minimum at (h, w)  cost        local minima  descent from (1, 1)\n";
  for (const Surface& surface : cost_surfaces()) {
    for (const std::int64_t h : sizes)
      for (const std::int64_t w : sizes)
        table << surface.name << ',' << h << ',' << w << ','
              << surface.cost(static_cast<double>(h), static_cast<double>(w)) << '\n';
    const SurfaceShape shape = shape_of(surface);
    std::ostringstream line;
    line << surface.name << "  (" << sizes[shape.minimum[0]] << ", " << sizes[shape.minimum[1]]
         << ")  " << shape.value << "  " << shape.local_minima << "  "
         << (shape.descent == shape.minimum ? "reaches it" : "stops elsewhere") << " after "
         << shape.evaluations << " of " << sizes.size() * sizes.size() << " points\n";
    summary << line.str();
  }
  const std::filesystem::path out(folder);
  atomic_write((out / "surfaces.csv").string(), table.str());
  atomic_write((out / "summary.txt").string(), summary.str());
  say(summary.str());
}

}  // namespace tileplan
