// SPDX-License-Identifier: Apache-2.0
// This file draws problems and machines to plan for.
#pragma once

#include <string>

#include "random_conv.h"
#include "tileplan/plan.h"

namespace tileplan::test {

/// Holds the inputs of one plan. The machine is one of those that ship with the program, unless
/// `short_calls` changes its rates.
struct Target {
  Problem problem;
  Machine machine;
  Options options = {};
  bool short_calls = false;  ///< Tells whether the register tiles got rates of short calls.
};

/// Draws an unusual product, convolution or relation: products with few or very many rows, pitches
/// that are powers of two, groups, depthwise, depth, batches, strides, dilations and padding. A
/// quarter of the plans use several threads, a third have rates of short calls, and a few have
/// doubles.
Target random_target(Random& random);

/// Returns the command line arguments that reproduce the plan. They do not give the rates of short
/// calls, which only the seed of the pair draws again.
std::string to_string(const Target& target);

}  // namespace tileplan::test
