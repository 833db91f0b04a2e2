// SPDX-License-Identifier: Apache-2.0
// This file computes Winograd convolutions with plain loops, and bounds the rounding errors of each
// output.
#pragma once

#include <vector>

#include "reference.h"
#include "tileplan/epilogue.h"
#include "winograd_matrices.h"

namespace tileplan {

/// Returns the output in its layout, with zeros in padding. The programs of
/// straight_line_program.h transform tiles, and the products of the channels are added in ascending
/// order. If Number is float, the weights are transformed in f64 and rounded, and products are
/// added by fused multiply-adds. If it is Rational, the result is exact. Throws Error as
/// check_winograd and `reference` do.
template <class Number>
std::vector<Number> winograd_reference(const Computation& computation, const Operands& operands,
                                       const TensorLayout& output, const WinogradTile& tile);

/// Holds error limits of each output, in the layout of the output.
struct WinogradErrors {
  std::vector<double> bound;  ///< Gives the certified bound of eq. (W2), which no error exceeds.
  std::vector<double> deviation;  ///< Gives R of eq. (W3), the size of typical errors.
};

/// Limits the errors that checks accept, in deviations (models/README.md eq. (W3)).
constexpr double kMostDeviations = 4;

/// Returns the error limits of f32 kernels, in double precision. Throws Error as
/// winograd_reference() does.
WinogradErrors winograd_errors(const Computation& computation, const Operands& operands,
                               const TensorLayout& output, const WinogradTile& tile);

/// Holds an epilogue and the largest absolute value of the numbers that it rounds.
struct EpilogueOfSums {
  const Epilogue& epilogue;
  double magnitude = 0;
};

/// Returns the largest error of each output that checks accept: kMostDeviations deviations of its
/// sum, times the largest slope of the epilogue, plus the roundings of the epilogue. Throws Error
/// as winograd_reference() does.
std::vector<double> winograd_tolerances(const Computation& computation, const Operands& operands,
                                        const TensorLayout& output, const WinogradTile& tile,
                                        const EpilogueOfSums& after);

}  // namespace tileplan
