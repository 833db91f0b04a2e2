// SPDX-License-Identifier: Apache-2.0
// This file applies epilogues to the sums of the reference.
#pragma once

#include <span>

#include "computation.h"
#include "reference.h"
#include "tileplan/kernel.h"

namespace tileplan {

/// Holds the tensors that an epilogue reads in addition to the sums. Unused tensors are empty.
struct EpilogueTensors {
  Values start = {};     ///< Holds the values of the output before the run.
  Values bias = {};      ///< The bias has the layout bias_layout().
  Values residual = {};  ///< The residual has the layout of the output.
  Requantisation requantisation = {};
};

/// Replaces sums[i], the sum at points[i], by the result of `epilogue`. Both spans must have the
/// same length. Returns a magnitude with which rounding errors grow: the largest absolute value of
/// alpha * sum, of beta * `tensors.start` and, for real numbers, of steepness() of the activation
/// times the sum of all terms.
double apply_epilogue_at(const Computation& computation, const Epilogue& epilogue,
                         const EpilogueTensors& tensors, std::span<const OutputPoint> points,
                         std::span<double> sums);

/// Applies `epilogue` to the sums of all outputs, which have the layout `output`. Returns the
/// magnitude as apply_epilogue_at() does.
double apply_epilogue(const Computation& computation, const Epilogue& epilogue,
                      const EpilogueTensors& tensors, const TensorLayout& output,
                      std::span<double> sums);

}  // namespace tileplan
