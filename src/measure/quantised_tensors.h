// SPDX-License-Identifier: Apache-2.0
// This file draws the numbers that quantise the tensors of a kernel in checks and measurements, and
// subtracts zero points from tensors.
#pragma once

#include <cstdint>
#include <vector>

#include "buffers.h"
#include "computation.h"
#include "tileplan/kernel.h"

namespace tileplan {

/// Holds the scales and zero points that Epilogue::quantisation names. Where it names none, lists
/// are empty, zero points are 0, and the scale of the residual is 1.
struct QuantisedNumbers {
  ElementType weights_type = ElementType::s8;
  /// These zero points are bytes of the weights' type.
  std::vector<std::uint8_t> weights_zero_points = {};
  std::vector<float> scales = {};
  std::int32_t input_zero_point = 0, output_zero_point = 0, residual_zero_point = 0;
  float residual_scale = 1;

  ConstElements zero_points() const {
    return {weights_zero_points.data(), weights_zero_points.size(), weights_type};
  }
  Requantisation requantisation() const;
};

/// Returns random numbers from `seed`. They are chosen such that most sums of random tensors become
/// outputs which do not saturate. Some zero points are the smallest or largest number of their
/// type.
QuantisedNumbers quantised_numbers(const Computation& computation, const Quantisation& quantisation,
                                   std::uint64_t seed);

/// Returns the plain input minus its zero point, in s16. moved_weights() returns the plain weights
/// minus their zero points, also in s16. Plain loops compute the sums from the two results. Both
/// functions require elements of type u8 or s8.
Buffer moved_input(const Buffer& input, const QuantisedNumbers& numbers);
Buffer moved_weights(const Computation& computation, const Buffer& weights,
                     const QuantisedNumbers& numbers);

}  // namespace tileplan
