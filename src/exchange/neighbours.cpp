// SPDX-License-Identifier: Apache-2.0
// Each move takes a prime factor out of one tile loop and makes it a loop at another position.
#include "neighbours.h"

#include <algorithm>
#include <set>

#include "integers.h"

namespace tileplan {
namespace {

/// Returns the range [first, last) of the loops among which factors may move.
std::pair<std::size_t, std::size_t> movable_loops(const std::vector<Specifier>& loops) {
  std::size_t first = 0, last = 0;
  for (const Specifier& loop : loops) {
    if (loop.kind == Kind::unroll || loop.kind == Kind::vector) break;
    ++last;
    if (loop.kind == Kind::parallel) first = last;
  }
  return {first, last};
}

/// Merges adjacent loops (T) of one dimension, and drops those with one trip.
std::vector<Specifier> join_loops(const std::vector<Specifier>& loops) {
  std::vector<Specifier> result;
  for (const Specifier& loop : loops) {
    if (loop.kind == Kind::tile && loop.count == 1) continue;
    const bool same = !result.empty() && loop.kind == Kind::tile &&
                      result.back().kind == Kind::tile && result.back().dim == loop.dim;
    if (same)
      result.back().count *= loop.count;
    else
      result.push_back(loop);
  }
  return result;
}

/// Takes a loop of `factor` trips out of loop `from`. Returns one nest for each position in `range`
/// at which the new loop can stand. It must stay outside the list of blocks (lambda) of its
/// dimension.
std::vector<std::vector<Specifier>> move_factor(const std::vector<Specifier>& loops,
                                                std::size_t from, std::int64_t factor,
                                                std::pair<std::size_t, std::size_t> range) {
  std::vector<std::vector<Specifier>> all;
  const auto lambda = std::ranges::find_if(loops, [&](const Specifier& loop) {
    return loop.is_lambda() && loop.dim == loops[from].dim;
  });
  const std::size_t last = std::min(range.second, static_cast<std::size_t>(lambda - loops.begin()));
  for (std::size_t place = range.first; place <= last; ++place) {
    std::vector<Specifier> moved = loops;
    moved[from].count /= factor;
    Specifier taken = loops[from];
    taken.count = factor;
    moved.insert(moved.begin() + static_cast<std::ptrdiff_t>(place), std::move(taken));
    all.push_back(join_loops(moved));
  }
  return all;
}

}  // namespace

std::vector<Schedule> neighbours(const Schedule& schedule) {
  if (schedule.pack_weights || schedule.pack_output)
    return {};  // Packing refers to a loop by its position, which moves would change.
  const auto range = movable_loops(schedule.loops);
  std::vector<Schedule> result;
  std::set<std::string> seen{to_string(schedule)};
  Schedule moved = schedule;
  moved.ahead.reset();
  moved.pack_input.reset();
  for (std::size_t from = range.first; from < range.second; ++from) {
    const Specifier& loop = schedule.loops[from];
    if (loop.kind != Kind::tile) continue;
    for (const std::int64_t factor : prime_factors(loop.count))
      for (std::vector<Specifier>& loops : move_factor(schedule.loops, from, factor, range)) {
        moved.loops = std::move(loops);
        if (seen.insert(to_string(moved)).second) result.push_back(moved);
      }
  }
  return result;
}

}  // namespace tileplan
