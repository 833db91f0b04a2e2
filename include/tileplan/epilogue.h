// SPDX-License-Identifier: Apache-2.0
// An epilogue is the element-wise work that a kernel does on each sum before its last store.
#pragma once

#include <limits>
#include <string>

#include "tileplan/visibility.h"

namespace TILEPLAN_PUBLIC tileplan {

/// Computes output = clamp(beta * output + sum + bias + residual), where beta is 0 or 1. The terms
/// are added in this order, as oneDNN does, and so is the text form written, with commas between
/// its parts: "accumulate,bias,add,relu", "bias,clamp=0:6", or "none".
struct Epilogue {
  /// Results below `low` become `low`, and results above `high` become `high`. Both limits are
  /// rounded to the element type, and NaN stays NaN. ReLU is low = 0. plan() and compile() throw
  /// Error when a limit is NaN or low > high. The limits are the first fields, because a compiler
  /// would take `.epilogue = "bias,relu"` for a bool if one came first.
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  /// If true, beta is 1, so the sum is added to the values in the output.
  bool accumulate = false;
  bool bias = false;  ///< Each output channel (or column j of a gemm) has one value to add.
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
