// SPDX-License-Identifier: Apache-2.0
// This file declares the limits, activations and unary operators that are applied to each number.
#pragma once

#include <cmath>
#include <limits>
#include <string>

#include "node_view.h"
#include "tileplan/epilogue.h"

namespace tileplan {

/// Holds limits to which results are clamped. NaN stays NaN.
struct Limits {
  float low = -std::numeric_limits<float>::infinity();
  float high = std::numeric_limits<float>::infinity();

  bool any() const {
    return low > -std::numeric_limits<float>::infinity() ||
           high < std::numeric_limits<float>::infinity();
  }
  __attribute__((always_inline)) float clamp(float x) const {
    x = x < low ? low : x;
    return x > high ? high : x;
  }
};

/// Returns the attributes `low` and `high`, which fused nodes have. A missing attribute means no
/// limit.
Limits limits_of(const NodeView& node);

/// Returns the limits of a Relu or Clip. Throws NotUnderstood when a limit is NaN or no constant
/// with known numbers, or when the lower limit exceeds the upper one. Throws Error when a limit has
/// other than one number, or is an attribute that is no real number.
Limits clip_limits(const NodeView& node);

/// Returns the activation in the attribute `activation` of a fused node, or none. Throws Error for
/// a text that parse_epilogue() refuses.
Activation activation_of(const NodeView& node);

/// Returns the activation by which an epilogue computes a unary operator, or none. Relu and Clip
/// have none, because they are limits.
Activation unary_activation(const NodeView& node);

/// Computes an operator for which is_unary() returns true.
class Unary {
 public:
  /// Reads the parameters of the operator. Throws Error and NotUnderstood as clip_limits() does,
  /// and Error for a parameter that is no real number.
  explicit Unary(const NodeView& node);

  /// Sets to[i] to the result of from[i]. The arrays may be equal.
  void run(std::size_t count, const float* from, float* to) const;

  /// These functions return the parameters of a LeakyRelu or Swish (alpha only), or of a
  /// HardSigmoid or HardSwish.
  float alpha() const { return alpha_; }
  float beta() const { return beta_; }

 private:
  enum class Rule {
    clamp,
    leaky,
    sigmoid,
    hard_sigmoid,
    hard_swish,
    swish,
    tanh,
    exp,
    neg,
    sqrt,
    abs,
    erf
  };

  Rule rule_ = Rule::clamp;
  Limits limits_;
  float alpha_ = 0, beta_ = 0;
};

}  // namespace tileplan
