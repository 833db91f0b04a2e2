// SPDX-License-Identifier: Apache-2.0
// What a kernel does to each sum before it stores it for the last time.
#pragma once

#include <limits>
#include <string>

namespace tileplan {

/// output = clamp(beta * output + sum + bias + residual), added in this order, as in oneDNN; beta
/// is 0 or 1. Text form: the parts that are there, in this order, separated by commas, e.g.
/// "accumulate,bias,add,relu" or "bias,clamp=0:6"; "none" when there are none.
struct Epilogue {
  bool accumulate = false;  ///< beta = 1: the sum starts from what the output holds
  bool bias = false;        ///< one value per output channel (gemm: per column j) is added
  bool add = false;  ///< a residual is added: a tensor with the shape and layout of the output
  /// Smaller results become `low`, larger ones `high`, rounded to the element type; NaN stays.
  /// ReLU is low = 0. Neither is NaN, and low <= high, or planning and compiling throw Error.
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();

  bool operator==(const Epilogue&) const = default;
};

/// The epilogue that "bias,add,relu" means; `clamp=LOW:HIGH` gives both limits, `relu` is
/// clamp=0:inf. parse(to_string(e)) == e. Throws Error: unknown or repeated words, words in another
/// order than accumulate, bias, add, relu or clamp, both relu and clamp, limits that are no numbers
/// or crossed.
Epilogue parse_epilogue(const std::string& text);
std::string to_string(const Epilogue& epilogue);

}  // namespace tileplan
