// SPDX-License-Identifier: Apache-2.0
// This file measures the rounding errors of Winograd convolutions and the speed of their
// transforms.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "study.h"
#include "winograd_points.h"

namespace tileplan {

/// Describes a Winograd algorithm, such as F(4,3), with the same size and points along height and
/// width.
struct WinogradCase {
  WinogradSize size;
  std::vector<WinogradPoint> points;
  /// If false, kernels use these points only if a schedule names them. They are compared with the
  /// points in use.
  bool in_use = true;
};

/// Returns all winograd_sizes() with the points in use, and other points of F(3,3) and F(4,3).
std::vector<WinogradCase> winograd_cases();

enum class RandomData { uniform, normal };

/// Describes the random tensors of one convolution of 2 x 2 tiles.
struct WinogradData {
  std::int64_t channels = 64;
  /// Uniform data are in [-1, 1), and normal data have variance 1.
  RandomData distribution = RandomData::uniform;
  std::uint64_t seed = 1;
};

struct MeasuredError {
  /// These are errors against double precision, divided by the root mean square of the outputs.
  double rms = 0, largest = 0;
  /// This is the `rms` of a direct f32 convolution with one sum per output.
  double direct_rms = 0;
  /// This is the largest ratio of an error to the typical error of its output, which eq. (W3) of
  /// models/README.md defines.
  double deviations = 0;
  /// This is the smallest ratio of the certified bound of an output to its error, or infinity if
  /// all errors are 0.
  double bound = 0;
};

MeasuredError measured_error(const WinogradCase& algorithm, const WinogradData& data);

/// Measures the errors of `cases` against double precision, with 64 to 512 channels of uniform and
/// normal data. Also measures the cycles of their transforms, as medians of up to
/// `options.measurements` samples. Plots the estimated speed against the errors.
void study_winograd(const Machine& machine, const StudyOptions& options, const Print& print,
                    const std::vector<WinogradCase>& cases = winograd_cases());

/// Returns the time of a direct convolution divided by that of the Winograd convolution. Each has
/// `channels` input and output channels, products take their least time, and transformed tiles are
/// in the second cache level. A core executes `fma_units` vector multiply-adds per cycle.
double estimated_speedup(const WinogradTile& tile, const TransformRate& cycles, int fma_units,
                         int channels);

}  // namespace tileplan
