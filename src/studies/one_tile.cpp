// SPDX-License-Identifier: Apache-2.0
// This file chooses a register tile by its cycles, and writes the loops around it as text.
#include "one_tile.h"

#include "integers.h"
#include "microkernel.h"
#include "text_table.h"
#include "tileplan/error.h"
#include "tileplan/problem.h"

namespace tileplan {

namespace {

double cycles_per_multiply_add(RegisterTile tile, std::int64_t steps, const Machine& machine) {
  const auto count = static_cast<double>(steps);
  return CallCycles(kernel_rate(tile, machine)).of(count) / (count * tile.pixels * tile.vectors);
}

}  // namespace

RegisterTile fastest_tile(const GemmShape& shape, const Machine& machine) {
  const int lanes = machine.vector.lanes;
  GemmShape plain = parse_gemm(joined("m", shape.m, "n", shape.n, "k", shape.k));
  plain.name = shape.name;
  if (shape != plain || shape.n % lanes != 0)
    throw Error(joined("smallgemm: ", to_string(shape),
                       "; must be one product in f32 of matrices without gaps, none transposed, "
                       "whose n is a multiple of ",
                       lanes));
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
  const auto loop = [](char kind, std::int64_t trips, char dim) {
    return trips > 1 ? joined(kind, '(', trips, ',', dim, "), ") : "";
  };
  const bool is_uneven = whole > 0 && rest > 0;
  const std::string rows = is_uneven ? joined("L(i,[", whole, '*', tile.pixels, ",1*", rest, "]), ")
                                     : loop('T', whole, 'i');
  const std::string across = loop('T', columns, 'j');
  const std::string unrolled =
      is_uneven ? "U(i), " : loop('U', whole > 0 ? tile.pixels : rest, 'i');
  std::vector<Schedule> schedules;
  for (const std::string& order : {rows + across, across + rows}) {
    Schedule schedule = parse_schedule(joined('[', order, loop('T', shape.k, 'k'), unrolled,
                                              loop('U', tile.vectors, 'j'), "V(j)]"));
    if (schedules.empty() || schedules.front() != schedule)
      schedules.push_back(std::move(schedule));
  }
  return schedules;
}

}  // namespace tileplan
