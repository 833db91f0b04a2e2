// SPDX-License-Identifier: Apache-2.0
// This file declares the functions that write C for operators without kernels. A written function
// has the sizes of one step as constants, so that compilers know the lengths of its loops.
#pragma once

#include <string>
#include <vector>

#include "c_text.h"
#include "node_view.h"
#include "tileplan/schedule.h"

namespace tileplan {

/// Describes a pointer that a function of emitted C takes.
struct CParameter {
  std::string name = {};
  /// The pointer refers to the input or output of the step that has this number, counted from 0.
  std::size_t tensor = 0;
  bool is_output = false;
  std::int64_t start = 0;  ///< The function accesses this element of the tensor first.
};

/// Holds a function of emitted C before it gets a name.
struct CFunction {
  std::string kind = {};  ///< The name consists of the network's name, this text and a number.
  std::vector<CParameter> parameters = {};
  std::string body = {};  ///< The text of the body includes its braces.
  /// If true, a product and a sum are rounded together where the target has fused multiply-adds.
  /// The operators of src/network round in the same way.
  bool contracts = true;
  /// If true, the function only copies, and is not called if source and target have the same
  /// address.
  bool is_copy = false;
};

/// Describes a step of the network for which a C function is written. All its tensors with three or
/// more dimensions have `layout`.
struct WrittenStep {
  const NodeView& node;
  Layout layout = Layout::nchw;
  bool in_place = false;  ///< If true, the output has the address of the first input.
};

/// Returns the functions that compute a step together, in the order of their calls. Throws
/// NotUnderstood when no C can be written for the operator.
std::vector<CFunction> functions_of(const WrittenStep& step);

/// Returns the function that copies a tensor of `shape` from one layout to another or the same one.
CFunction conversion_function(const Extents& shape, Layout from, Layout to);

/// Each of these functions writes C for one group of operators.
CFunction unary_function(const WrittenStep& step);
CFunction binary_function(const WrittenStep& step);
CFunction affine_function(const WrittenStep& step);
CFunction softmax_function(const WrittenStep& step);
CFunction product_function(const WrittenStep& step);
CFunction pool_function(const WrittenStep& step);
CFunction mean_function(const WrittenStep& step);
CFunction normalisation_function(const WrittenStep& step);
std::vector<CFunction> move_functions(const WrittenStep& step);

/// Returns C text with the value of `number`, in parentheses if it has a sign. Infinities and NaN
/// are written as macros of <math.h>.
std::string float_text(float number);

/// Returns a line of C that declares constants, such as "const int64_t rows = 3, columns = 4;".
std::string constants_text(const std::vector<std::pair<std::string, std::int64_t>>& constants);

/// Writes each line of `text` with the indentation of `out`. `text` begins with a line break.
void write_lines(CWriter& out, const std::string& text);

/// Writes statements that clamp the variable `name` to the attributes `low` and `high` of the node.
void write_limits(CWriter& out, const NodeView& node, const std::string& name);

/// Returns true when an attribute `low` or `high` of `node` limits its results.
bool has_limits(const NodeView& node);

}  // namespace tileplan
