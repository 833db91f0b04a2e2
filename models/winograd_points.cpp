// SPDX-License-Identifier: Apache-2.0
// Points and scales are written as text, which Rational reads.
#include "winograd_points.h"

#include <algorithm>
#include <sstream>
#include <string>

#include "tileplan/error.h"

namespace tileplan {
namespace {

struct PointRow {
  WinogradSize size;
  const char* points;
  const char* output_scales;  ///< Holds one scale per point.
  TransformOperations operations;
};

constexpr PointRow kPoints[] = {
    {{2, 2}, "0 1", "1 1", {2, 2}},
    {{3, 2}, "0 1 -1", "1 1 1", {4, 4}},
    {{4, 2}, "1/2 -1/2 1 -1", "1 1 1 1", {10, 9}},
    {{5, 2}, "0 1/2 -1/2 2 -2", "1 2 2 1/4 1/4", {12, 12}},
    {{6, 2}, "1/4 -1/4 1 -1 7/4 -7/4", "1 1 1 1 1 1", {21, 19}},
    {{7, 2}, "0 1/2 -1/2 1 -1 2 -2", "1 1 1 1 1 1 1", {24, 22}},
    {{2, 3}, "0 1 -1", "1 1 1", {4, 4}},
    {{3, 3}, "1/2 -1/2 5/4 -5/4", "2 2 1 1", {10, 8}},
    {{4, 3}, "0 1/2 -1/2 2 -2", "1 2 2 1/4 1/4", {12, 10}},
    {{5, 3}, "1/4 -1/4 7/8 -7/8 2 -2", "4 4 1 1 1/4 1/4", {21, 18}},
    {{6, 3}, "0 1/2 -1/2 1 -1 2 -2", "1 1 1 1 1 1 1", {24, 20}},
    {{2, 4}, "1/2 -1/2 1 -1", "1 1 1 1", {10, 7}},
    {{3, 4}, "0 5/8 -5/8 2 -2", "1 1 1 1/2 1/2", {12, 9}},
    {{4, 4}, "1/4 -1/4 7/8 -7/8 2 -2", "4 4 1 1 1/4 1/4", {21, 15}},
    {{5, 4}, "0 1/2 -1/2 1 -1 2 -2", "1 1 1 1 1 1 1", {24, 18}},
    {{2, 5}, "0 1/2 -1/2 2 -2", "1 1 1 1 1", {12, 8}},
    {{3, 5}, "1/4 -1/4 7/8 -7/8 2 -2", "1 1 1 1 1/2 1/2", {21, 13}},
    {{4, 5}, "0 1/2 -1/2 1 -1 2 -2", "1 1 1 1 1 1 1", {24, 16}},
    {{2, 6}, "1/4 -1/4 7/8 -7/8 2 -2", "1 1 1 1 1 1", {21, 11}},
    {{3, 6}, "0 1/2 -1/2 1 -1 2 -2", "1 1 1 1 1 1 1", {24, 14}},
    {{2, 7}, "0 1/2 -1/2 1 -1 2 -2", "1 1 1 1 1 1 1", {24, 12}},
};

/// Returns the row of the table for F(outputs, taps), or null.
const PointRow* row_of(WinogradSize size) {
  const auto* const row = std::ranges::find(kPoints, size, &PointRow::size);
  return row == std::end(kPoints) ? nullptr : row;
}

std::vector<Rational> rationals_of(const char* text) {
  std::istringstream words(text);
  std::vector<Rational> values;
  for (std::string word; words >> word;) values.emplace_back(word);
  return values;
}

}  // namespace

std::vector<WinogradSize> winograd_sizes() {
  std::vector<WinogradSize> sizes;
  for (const PointRow& row : kPoints) sizes.push_back(row.size);
  return sizes;
}

std::vector<WinogradPoint> winograd_points(WinogradSize size) {
  const PointRow* const row = row_of(size);
  if (row == nullptr)
    throw Error("winograd: F(" + std::to_string(size.outputs) + ", " + std::to_string(size.taps) +
                ") has no points in the table; must have 2 outputs and 2 taps or more, and at "
                "most 8 inputs");
  const std::vector<Rational> values = rationals_of(row->points);
  const std::vector<Rational> scales = rationals_of(row->output_scales);
  std::vector<WinogradPoint> points;
  for (std::size_t i = 0; i < values.size(); ++i)
    points.push_back({.value = values[i], .input_scale = 1, .output_scale = scales[i]});
  return points;
}

std::optional<TransformOperations> winograd_operations(WinogradSize size) {
  const PointRow* const row = row_of(size);
  return row == nullptr ? std::nullopt : std::optional(row->operations);
}

WinogradMatrices winograd_of(WinogradSize size) {
  if (size == WinogradSize{}) return winograd_matrices(1, 1, {});
  return winograd_matrices(size.outputs, size.taps, winograd_points(size));
}

}  // namespace tileplan
