// SPDX-License-Identifier: Apache-2.0
// Applies epilogues to the sums of the plain reference.
#pragma once

#include <span>

#include "computation.h"
#include "reference.h"
#include "tileplan/epilogue.h"

namespace tileplan {

/// Holds the tensors that an epilogue reads besides the sums; the others are empty.
struct EpilogueTensors {
  Values start;     ///< This is the output before the run, in its layout.
  Values bias;      ///< The bias is in bias_layout.
  Values residual;  ///< The residual is in the layout of the output.
};

/// Applies `epilogue` to sums[i], the sum at points[i]. Returns the largest |sum| before limits.
double apply_epilogue_at(const Computation& computation, const Epilogue& epilogue,
                         const EpilogueTensors& tensors, std::span<const OutputPoint> points,
                         std::span<double> sums);

/// Applies `epilogue` to the sums of all outputs, stored in the layout `output`, as above.
double apply_epilogue(const Computation& computation, const Epilogue& epilogue,
                      const EpilogueTensors& tensors, const TensorLayout& output,
                      std::span<double> sums);

}  // namespace tileplan
