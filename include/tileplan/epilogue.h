// SPDX-License-Identifier: Apache-2.0
// An epilogue is the element-wise computation that a kernel applies to each sum before storing it.
#pragma once

#include <limits>
#include <string>

#include "tileplan/visibility.h"

namespace TILEPLAN_PUBLIC tileplan {

/// Tells how many numbers quantise a tensor: none, one for all, or one per output channel (or
/// column of a gemm).
enum class Granularity { none, tensor, channel };

/// Tells which scales and zero points quantise the tensors of a kernel. Their values are given when
/// weights are packed and in each run (kernel.h). Zero points are subtracted from input and weights
/// before the multiplication, so padding adds nothing to a sum. Input and weights must then be u8
/// or s8. The scales and the zero point of the output convert integer sums to an output of another
/// type than s32.
struct Quantisation {
  bool input_zero_point = false;
  Granularity weights_zero_points = Granularity::none;
  /// Tells how many scales multiply the sums, after the bias was added.
  Granularity scales = Granularity::none;
  /// If true, the residual has a scale and a zero point. Requires Epilogue::add.
  bool scaled_residual = false;
  /// If true, a zero point is added to rounded results of u8 or s8.
  bool output_zero_point = false;

  bool operator==(const Quantisation&) const = default;
};

/// Names the activation functions, which map a number x to a number.
enum class ActivationKind {
  none,
  leaky,         ///< LeakyReLU is x, or alpha * x when x is negative.
  sigmoid,       ///< The sigmoid is 1 / (1 + exp(-x)).
  silu,          ///< SiLU is x * sigmoid(x).
  hard_sigmoid,  ///< HardSigmoid is alpha * x + beta, limited to the range from 0 to 1.
  hard_swish     ///< HardSwish is x * hard_sigmoid(x).
};

/// Holds an activation and its numbers, which must be finite in f32.
struct Activation {
  ActivationKind kind = ActivationKind::none;
  double alpha = 0, beta = 0;

  bool any() const { return kind != ActivationKind::none; }
  bool operator==(const Activation&) const = default;
};

/// Computes output = clamp(activation(alpha * sum + beta * output + bias + residual)). The terms
/// are added in this order. Requantisation (kernel.h) has the formula for integer sums that become
/// another type than s32.
/// Assembled kernels round `alpha` and `beta` to the type of the sums, and then round each product
/// with a factor and each addition of a term. With alpha = 1 and a beta of 0 or 1, products of
/// input and weights are added one by one to zero or to the old output. With other factors, a sum
/// that loops split into parts is alpha * part + beta * output for the first part, and each later
/// part is multiplied by alpha and added. With beta = 0 the old output is not read, so a NaN in it
/// does not survive.
///
/// The text form lists the terms in this order, separated by commas:
/// "alpha=2,beta=0.5,bias,add,relu", "bias,clamp=0:6", "bias,leaky=0.1", or "none". Activations are
/// the words leaky=ALPHA, sigmoid, silu, hard-sigmoid=ALPHA:BETA, and hard-swish, which has the
/// numbers of ONNX, 1/6 and 0.5. The word "accumulate" means beta=1; parsing accepts both. The text
/// of a quantised layer with all its terms is
/// "input-zero,weights-zero=channel,bias,scale=channel,add=scaled,relu,output-zero", where
/// "=channel" may be missing.
struct Epilogue {
  /// Results below `low` become `low`, and results above `high` become `high`; ReLU is low = 0.
  /// Both limits are rounded to the element type, and NaN stays NaN. plan() and compile() throw
  /// Error when a limit is NaN, low > high, low is inf, high is -inf, or a finite limit is not in
  /// the range of f32 (or of f64 if the output is f64). The limits come first, because a compiler
  /// would take `.epilogue = "bias,relu"` for a bool if the first field were one.
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  /// Both factors must be finite numbers of the type of the sums. Integer sums require alpha = 1
  /// and a beta of 0 or 1. A beta other than 0 requires that the output has the type of the sums.
  double alpha = 1, beta = 0;
  bool bias = false;  ///< If true, a value per output channel (or column j of a gemm) is added.
  /// If true, a residual tensor with the shape and layout of the output is added.
  bool add = false;
  Quantisation quantisation = {};
  /// Sums of real numbers that are stored in their own type can have an activation. Sigmoid and
  /// SiLU of x need sums of f32. Their errors are at most 1.2e-7 and 1.2e-7 |x|, respectively.
  Activation activation = {};

  bool operator==(const Epilogue&) const = default;
};

/// Returns the epilogue that `text` describes. "clamp=LOW:HIGH" sets both limits, and "relu" means
/// clamp=0:inf, so the two exclude each other. parse_epilogue(to_string(e)) == e for each `e` that
/// this function returns. Throws Error for unknown or repeated words, for words that exclude each
/// other or are in another order, for factors and numbers of activations that are not finite, and
/// for limits that are no numbers or have low > high.
Epilogue parse_epilogue(const std::string& text);
std::string to_string(const Epilogue& epilogue);

}  // namespace tileplan
