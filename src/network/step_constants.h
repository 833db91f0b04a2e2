// SPDX-License-Identifier: Apache-2.0
// This file finds the constants that the steps of a network read, and checks the sizes of addends.
#pragma once

#include <vector>

#include "node_view.h"
#include "tileplan/epilogue.h"
#include "tileplan/network.h"

namespace tileplan {

/// Returns the numbers of the constant `value`, which the step `step` reads. Throws Error when the
/// file does not contain the numbers or they are not f32.
const std::vector<float>& step_numbers(const std::string& step, const GraphValue& value);

/// Returns the numbers of `value` in `layout`. Throws Error as step_numbers() does.
std::vector<float> numbers_in_layout(const std::string& step, const GraphValue& value,
                                     Layout layout);

/// Returns the weights of the kernel that computes `node`. A transposed B is transposed back.
/// Throws Error as step_numbers() does.
std::vector<float> kernel_weights(const NodeView& node);

/// Holds the number of elements that a kernel reads from the bias and the residual.
struct AddendSizes {
  std::size_t bias = 0, residual = 0;
};

/// Throws Error unless the bias and the residual of `node` have these sizes, as far as `epilogue`
/// adds them.
void check_addends(const NodeView& node, const Epilogue& epilogue, const AddendSizes& sizes);

}  // namespace tileplan
