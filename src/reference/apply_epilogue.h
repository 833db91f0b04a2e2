// SPDX-License-Identifier: Apache-2.0
// Applies epilogues to the sums of the plain reference.
#pragma once

#include <span>

#include "computation.h"
#include "reference.h"
#include "tileplan/epilogue.h"

namespace tileplan {

/// Holds the tensors that an epilogue reads besides the sums. Unused tensors are empty.
struct EpilogueTensors {
  Values start;     ///< The output had these values before the run.
  Values bias;      ///< The bias is in bias_layout.
  Values residual;  ///< The residual is in the layout of the output.
};

/// Applies `epilogue` to sums[i], the sum at points[i]. Returns the largest |sum| before the limits
/// of the epilogue.
double apply_epilogue_at(const Computation& computation, const Epilogue& epilogue,
                         const EpilogueTensors& tensors, std::span<const OutputPoint> points,
                         std::span<double> sums);

/// Applies `epilogue` to the sums of all outputs in layout `output`, like apply_epilogue_at.
double apply_epilogue(const Computation& computation, const Epilogue& epilogue,
                      const EpilogueTensors& tensors, const TensorLayout& output,
                      std::span<double> sums);

}  // namespace tileplan
