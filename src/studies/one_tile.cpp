// SPDX-License-Identifier: Apache-2.0
// Writes the loops around one register tile as text.
#include "one_tile.h"

#include <limits>
#include <sstream>

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
  const std::int64_t whole = shape.m / tile.pixels, rest = shape.m % tile.pixels;
  const std::int64_t columns = shape.n / (std::int64_t{tile.vectors} * lanes);
  std::ostringstream rows, across, inner;
  if (whole > 0 && rest > 0)
    rows << "L(i,[" << whole << '*' << tile.pixels << ",1*" << rest << "]), ";
  else if (whole > 1)
    rows << "T(" << whole << ",i), ";
  if (columns > 1) across << "T(" << columns << ",j), ";
  if (shape.k > 1) inner << "T(" << shape.k << ",k), ";
  if (whole > 0 && rest > 0)
    inner << "U(i), ";
  else if (const std::int64_t all = whole > 0 ? tile.pixels : rest; all > 1)
    inner << "U(" << all << ",i), ";
  if (tile.vectors > 1) inner << "U(" << tile.vectors << ",j), ";
  inner << "V(j)]";
  std::vector<Schedule> schedules;
  for (const std::string& order : {rows.str() + across.str(), across.str() + rows.str()}) {
    Schedule schedule = parse_schedule(std::string("[").append(order).append(inner.str()));
    if (schedules.empty() || schedules.front() != schedule)
      schedules.push_back(std::move(schedule));
  }
  return schedules;
}

GemmShape padded_to(GemmShape shape, RegisterTile tile) {
  shape.m = round_up(shape.m, tile.pixels);
  return shape;
}

}  // namespace tileplan
