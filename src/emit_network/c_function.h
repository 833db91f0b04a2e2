// SPDX-License-Identifier: Apache-2.0
// Declares what writes the C of operators other than layers. Each function has the sizes of one
// step as constants, so that compilers know the lengths of its loops.
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
  std::size_t tensor = 0;  ///< This is the number of an input or an output of the step.
  bool is_output = false;
  std::int64_t start = 0;  ///< A copy begins with this element.
};

/// Holds a function of emitted C without its name.
struct CFunction {
  std::string kind = {};  ///< The name begins with it.
  std::vector<CParameter> parameters = {};
  std::string body = {};  ///< The text begins with a brace.
  /// Sums of products round once where the target has multiply-adds, as they do in runs.
  bool contracts = true;
  bool is_copy = false;  ///< There is no work if both parameters begin at one address.
};

/// Describes a step whose function is written. All tensors have `layout`.
struct WrittenStep {
  const NodeView& node;
  Layout layout = Layout::nchw;
  bool in_place = false;  ///< The output has the address of the first input.
};

/// Returns the functions that compute a step together, in their order. Throws NotUnderstood when
/// the operator has no C.
std::vector<CFunction> functions_of(const WrittenStep& step);

/// Returns the function that copies a tensor of `shape` from one layout to another.
CFunction conversion_function(const Extents& shape, Layout from, Layout to);

/// These return the functions of one kind of operator each.
CFunction unary_function(const WrittenStep& step);
CFunction binary_function(const WrittenStep& step);
CFunction affine_function(const WrittenStep& step);
CFunction softmax_function(const WrittenStep& step);
CFunction product_function(const WrittenStep& step);
CFunction pool_function(const WrittenStep& step);
CFunction mean_function(const WrittenStep& step);
CFunction normalisation_function(const WrittenStep& step);
std::vector<CFunction> move_functions(const WrittenStep& step);

/// Returns a literal of C with the value of `number`, in parentheses if it has a sign.
std::string float_text(float number);

/// Returns a line of C that declares constants, such as "const int64_t rows = 3, columns = 4;".
std::string constants_text(const std::vector<std::pair<std::string, std::int64_t>>& constants);

/// Writes each line of `text`, which begins with a line break, with the indentation of `out`.
void write_lines(CWriter& out, const std::string& text);

/// Writes statements that limit the variable `name` as the attributes `low` and `high` of the node
/// say.
void write_limits(CWriter& out, const NodeView& node, const std::string& name);

/// Returns true when `node` has such attributes.
bool has_limits(const NodeView& node);

}  // namespace tileplan
