// SPDX-License-Identifier: Apache-2.0
// This file lists the attributes that nodes may have when users build them.
#include <algorithm>
#include <array>
#include <iterator>
#include <sstream>

#include "operators.h"
#include "words.h"

namespace tileplan {
namespace {

using Words = std::vector<std::string>;

/// Holds kinds of operators and the attributes that each of them may have, in alphabetical order.
/// Spaces separate the words of both texts.
struct KindAttributes {
  const char *kinds = "", *attributes = "";
};

/// Lists the attributes that ONNX defines for each kind that tileplan knows, and those of tileplan:
/// `type` of a Cast, `opset` of a Resize, `flat` of a Softmax and all of Affine, Product and Swish.
/// Attributes of old operator sets are included if tileplan applies them. Attributes that change no
/// number that tileplan computes, such as `momentum`, are accepted too.
constexpr std::array kKnown{
    KindAttributes{"Abs Add Div DynamicQuantizeLinear Erf Exp GlobalAveragePool HardSwish Identity "
                   "MatMul MatMulInteger Mul Neg QLinearMatMul Relu Sigmoid Sqrt Sub Sum Tanh",
                   ""},
    KindAttributes{"Affine", "activation axis high low was"},
    KindAttributes{"AveragePool",
                   "auto_pad ceil_mode count_include_pad dilations kernel_shape pads strides"},
    KindAttributes{"BatchNormalization", "epsilon momentum spatial training_mode"},
    KindAttributes{"Cast", "round_mode saturate to type"},
    KindAttributes{"Clip", "max min"},
    KindAttributes{"Concat Flatten Gather", "axis"},
    KindAttributes{"ConstantOfShape", "value"},
    KindAttributes{"Conv ConvInteger QLinearConv",
                   "auto_pad dilations group kernel_shape pads strides"},
    KindAttributes{"DequantizeLinear", "axis block_size output_dtype"},
    KindAttributes{"Dropout", "ratio seed"},
    KindAttributes{"Gemm", "alpha beta transA transB"},
    KindAttributes{"HardSigmoid", "alpha beta"},
    KindAttributes{"LRN", "alpha beta bias size"},
    KindAttributes{"LeakyRelu Swish", "alpha"},
    KindAttributes{"MaxPool",
                   "auto_pad ceil_mode dilations kernel_shape pads storage_order strides"},
    KindAttributes{"Pad", "mode pads value"},
    KindAttributes{"Product", "activation alpha high low transA transB"},
    KindAttributes{"QuantizeLinear", "axis block_size output_dtype precision saturate"},
    KindAttributes{"ReduceMean", "axes keepdims noop_with_empty_axes"},
    KindAttributes{"Reshape", "allowzero shape"},
    KindAttributes{"Resize",
                   "antialias axes coordinate_transformation_mode cubic_coeff_a exclude_outside "
                   "extrapolation_value keep_aspect_ratio_policy mode nearest_mode opset"},
    KindAttributes{"Shape", "end start"},
    KindAttributes{"Slice", "axes ends starts steps"},
    KindAttributes{"Softmax", "axis flat"},
    KindAttributes{"Split", "axis num_outputs split"},
    KindAttributes{"Squeeze Unsqueeze", "axes"},
    KindAttributes{"Transpose", "perm"},
    KindAttributes{"Upsample", "coordinate_transformation_mode mode nearest_mode"}};

Words words_of(const char* text) {
  std::istringstream stream(text);
  return {std::istream_iterator<std::string>(stream), {}};
}

bool has_word(const Words& words, const std::string& word) {
  return std::ranges::find(words, word) != words.end();
}

/// Returns the end of a message: "must be axis", "must be axis or flat", or that there is none.
std::string rule_text(const Words& allowed) {
  if (allowed.empty()) return "must have no attributes";
  if (allowed.size() == 1) return "must be " + allowed.front();
  return "must be " + comma_separated(Words(allowed.begin(), allowed.end() - 1)) + " or " +
         allowed.back();
}

}  // namespace

void require_known_attributes(const NodeView& node) {
  const auto* const row = std::ranges::find_if(kKnown, [&](const KindAttributes& each) {
    return has_word(words_of(each.kinds), node.kind());
  });
  if (row == kKnown.end()) return;
  const Words allowed = words_of(row->attributes);
  for (const auto& [name, value] : node.node().attributes)
    node.require(has_word(allowed, name),
                 node.kind() + " has no attribute " + in_quotes(name) + "; " + rule_text(allowed));
}

}  // namespace tileplan
