// SPDX-License-Identifier: Apache-2.0
// This file draws the numbers that quantise the tensors of a kernel in checks and measurements.
#pragma once

#include <cstdint>
#include <vector>

#include "buffers.h"
#include "computation.h"
#include "tileplan/kernel.h"

namespace tileplan {

/// Holds the numbers that Epilogue::quantisation names, and no others.
struct QuantisedNumbers {
  ElementType weights_type = ElementType::s8;
  std::vector<std::uint8_t> weights_zero_points = {};  ///< These are bytes of the weights' type.
  std::vector<float> scales = {};
  std::int32_t input_zero_point = 0, output_zero_point = 0, residual_zero_point = 0;
  float residual_scale = 1;

  ConstElements zero_points() const {
    return {weights_zero_points.data(), weights_zero_points.size(), weights_type};
  }
  Requantisation requantisation() const;
};

/// Returns random numbers from `seed`. Most sums of random tensors become outputs that do not
/// saturate. Some zero points are the smallest or largest number of their type.
QuantisedNumbers quantised_numbers(const Computation& computation, const Quantisation& quantisation,
                                   std::uint64_t seed);

/// Return the plain input and weights minus their zero points, in s16, so that plain loops over
/// them give the sums.
Buffer moved_input(const Buffer& input, const QuantisedNumbers& numbers);
Buffer moved_weights(const Computation& computation, const Buffer& weights,
                     const QuantisedNumbers& numbers);

}  // namespace tileplan
