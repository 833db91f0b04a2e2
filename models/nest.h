// SPDX-License-Identifier: Apache-2.0
// A schedule resolved against a computation: numbers instead of names, ready for the models and the
// code generator.
#pragma once

#include <cstdint>
#include <vector>

#include "computation.h"
#include "dims.h"
#include "tileplan/schedule.h"

namespace tileplan {

/// A loop above the register tile: `trips` steps, or a lambda when `parts` is not empty
/// (then `trips` is 0 and sizes of parts are in iterations of `dim`, vector lanes included).
struct NestLoop {
  Dim dim{};
  std::int64_t trips = 1;
  std::vector<Part> parts;
  bool parallel = false;

  bool is_lambda() const { return !parts.empty(); }
  bool operator==(const NestLoop&) const = default;
};

/// Loops outermost first above the register tile `base`. Where a lambda sizes a dim, `base` of that
/// dim is 0 and each part gives it.
struct Nest {
  std::vector<NestLoop> loops;
  Tile base{};
  Dim vectorised{};  ///< the dim of V: whole vectors of it fill registers

  bool operator==(const Nest&) const = default;
};

/// `schedule` for `computation` on a machine with `lanes` elements per vector: R and unsized U are
/// given their numbers, V and U form the base box. The vectorised extent counts as rounded up to
/// whole vectors. Throws Error when the product over a dim differs from its extent, naming the dim
/// and both numbers; when a dim is unknown; when V is missing, not innermost or twice; when U
/// stands outside a loop.
Nest resolve(const Schedule& schedule, const Computation& computation, int lanes);

/// Extents of `computation` as the loops cover them: the vectorised channel dim rounded up to
/// `lanes`.
Tile covered_extents(const Computation& computation, Dim vectorised, int lanes);

}  // namespace tileplan
