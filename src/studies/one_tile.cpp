// SPDX-License-Identifier: Apache-2.0
// Loops around one register tile.
#include "one_tile.h"

#include <algorithm>
#include <array>
#include <limits>

#include "integers.h"
#include "microkernel.h"
#include "tileplan/error.h"

namespace tileplan {

namespace {

double cycles_per_multiply_add(RegisterTile tile, std::int64_t steps, const Machine& machine) {
  const KernelRate rate = kernel_rate(tile, machine);
  const auto count = static_cast<double>(steps);
  return (rate.cycles_per_call + count * rate.cycles_per_step) /
         (count * tile.pixels * tile.vectors);
}

/// The loop or lambda that walks over the rows, and how the tile names its own.
struct Rows {
  std::vector<Specifier> outer;
  Specifier tile{.kind = Kind::unroll, .dim = "i"};
};

Rows rows_of(std::int64_t rows, std::int64_t tile) {
  const std::int64_t whole = rows / tile, rest = rows % tile;
  Rows result;
  if (whole > 0 && rest > 0) {
    result.outer = {{.kind = Kind::lambda, .dim = "i", .parts = {{whole, tile}, {1, rest}}}};
    return result;
  }
  result.tile.count = whole > 0 ? tile : rest;
  if (whole > 1) result.outer = {{.kind = Kind::tile, .dim = "i", .count = whole}};
  return result;
}

}  // namespace

RegisterTile fastest_tile(const GemmShape& shape, const Machine& machine) {
  const int lanes = machine.vector.lanes;
  if (shape.b != 1 || shape.n % lanes != 0)
    throw Error("smallgemm: " + to_string(shape) +
                "; must be one product whose n is a multiple of " + std::to_string(lanes));
  RegisterTile best;
  double fewest = std::numeric_limits<double>::infinity();
  for (const std::int64_t vectors : divisors(shape.n / lanes))
    for (int pixels = 1; pixels <= kMaxPixels; ++pixels) {
      const RegisterTile tile{.pixels = pixels, .vectors = static_cast<int>(vectors)};
      if (!fits_registers(tile, machine.vector)) break;
      const double cycles = cycles_per_multiply_add(tile, shape.k, machine);
      if (cycles >= fewest) continue;
      fewest = cycles;
      best = tile;
    }
  return best;
}

std::vector<Schedule> tiled_schedules(const GemmShape& shape, RegisterTile tile, int lanes) {
  const Rows rows = rows_of(shape.m, tile.pixels);
  const std::int64_t columns = shape.n / (std::int64_t{tile.vectors} * lanes);
  std::vector<Specifier> across;
  if (columns > 1) across = {{.kind = Kind::tile, .dim = "j", .count = columns}};
  std::vector<Specifier> inner;
  if (shape.k > 1) inner.push_back({.kind = Kind::tile, .dim = "k", .count = shape.k});
  if (rows.tile.count != 1) inner.push_back(rows.tile);
  if (tile.vectors > 1) inner.push_back({.kind = Kind::unroll, .dim = "j", .count = tile.vectors});
  inner.push_back({.kind = Kind::vector, .dim = "j"});
  std::vector<Schedule> schedules;
  using Loops = const std::vector<Specifier>*;
  for (const auto& order : {std::array<Loops, 3>{&rows.outer, &across, &inner},
                            std::array<Loops, 3>{&across, &rows.outer, &inner}}) {
    Schedule schedule;
    for (const Loops loops : order)
      schedule.loops.insert(schedule.loops.end(), loops->begin(), loops->end());
    if (std::find(schedules.begin(), schedules.end(), schedule) == schedules.end())
      schedules.push_back(std::move(schedule));
  }
  return schedules;
}

GemmShape padded_to(GemmShape shape, RegisterTile tile) {
  shape.m = round_up(shape.m, tile.pixels);
  return shape;
}

}  // namespace tileplan
