// SPDX-License-Identifier: Apache-2.0
// An epilogue is the element-wise computation that a kernel applies to each sum before storing it.
#pragma once

#include <limits>
#include <string>

#include "tileplan/visibility.h"

namespace TILEPLAN_PUBLIC tileplan {

/// Computes output = clamp(beta * output + sum + bias + residual), where beta is 0 or 1. The terms
/// are added in this order, as oneDNN does. The text form has the same order and commas between its
/// parts: "accumulate,bias,add,relu", "bias,clamp=0:6", or "none".
struct Epilogue {
  /// Results below `low` become `low`, and results above `high` become `high`; ReLU is low = 0.
  /// Both limits are rounded to the element type, and NaN stays NaN. plan() and compile() throw
  /// Error when a limit is NaN or low > high. The limits come first, because a compiler would take
  /// `.epilogue = "bias,relu"` for a bool if the first field were one.
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  /// If true, beta is 1, so the sum is added to the previous output.
  bool accumulate = false;
  bool bias = false;  ///< A value per output channel (or column j of a gemm) is added.
  bool add = false;   ///< A residual tensor with the shape and layout of the output is added.

  bool operator==(const Epilogue&) const = default;
};

/// Returns the epilogue that `text` describes. "clamp=LOW:HIGH" sets both limits, and "relu" means
/// clamp=0:inf, so the two exclude each other. parse_epilogue(to_string(e)) == e. Throws Error for
/// unknown or repeated words, for words in another order, and for limits that are no numbers or
/// have low > high.
Epilogue parse_epilogue(const std::string& text);
std::string to_string(const Epilogue& epilogue);

}  // namespace tileplan
