// SPDX-License-Identifier: Apache-2.0
// Epilogues on the sums of the plain reference.
#pragma once

#include <span>

#include "computation.h"
#include "reference.h"
#include "tileplan/epilogue.h"

namespace tileplan {

/// What an epilogue reads besides the sums; empty where it has no such part.
struct EpilogueTensors {
  Values start;     ///< what the output held, in its layout
  Values bias;      ///< in bias_layout
  Values residual;  ///< in the layout of the output
};

/// Replaces the sum at each of `points` by what `epilogue` makes of it; sums[i] belongs to
/// points[i]. Returns the largest |sum| before the limits: rounding errors go with it.
double finish_at(const Computation& computation, const Epilogue& epilogue,
                 const EpilogueTensors& tensors, std::span<const OutputPoint> points,
                 std::span<double> sums);

/// The same for all outputs, which lie in `output`.
double finish_all(const Computation& computation, const Epilogue& epilogue,
                  const EpilogueTensors& tensors, const TensorLayout& output,
                  std::span<double> sums);

}  // namespace tileplan
