// SPDX-License-Identifier: Apache-2.0
// The matrices, the products and the rates of a problem are computed once.
#include "winograd_problem.h"

#include "winograd_error.h"
#include "winograd_rules.h"
#include "winograd_transforms.h"

namespace tileplan {

WinogradProblem winograd_problem(const Problem& problem, const WinogradTiles& tiles,
                                 const Machine& machine) {
  WinogradTile tile = winograd_tile(problem, tiles);
  const auto& shape = std::get<ConvShape>(problem);
  return {.shape = shape,
          .tiles = tiles,
          .tile = tile,
          .products = winograd_products(shape, tiles),
          .rate = transform_rate(tile, machine),
          .relative_error = relative_error_bound(tile, shape.c / shape.g)};
}

}  // namespace tileplan
