// SPDX-License-Identifier: Apache-2.0
// This file writes the files of an emitted network that belong to no single step.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "c_function.h"
#include "target.h"
#include "tileplan/network.h"

namespace tileplan {

/// Holds the facts about a network that its files contain.
struct NetworkFacts {
  const NetworkPlan& plan;
  /// The names of all files, and of all functions that are not static, begin with this text.
  std::string name = {};
  const TargetRow& target;
  std::int64_t weights_bytes = 0;
  std::int64_t workspace_bytes = 0;
  std::int64_t scratch = 0;   ///< Kernels share this many thread-local floats.
  std::string identity = {};  ///< The file of the weights begins with these 32 characters.
};

/// Holds a function with its complete name.
struct NamedFunction {
  std::string name = {};
  CFunction function = {};
};

/// Returns the name of the parameter of NAME_run() for input or output `index` of the graph. The
/// name has no number if there is only one input or output.
std::string parameter_name(const Graph& graph, bool is_output, int index);

/// Returns the signature of NAME_run().
std::string run_signature(const NetworkFacts& facts);

/// Returns the header that callers include, for C and C++.
std::string network_header(const NetworkFacts& facts);

/// Returns the file with NAME_load() and NAME_run(), whose body is `calls`.
std::string network_source(const NetworkFacts& facts, const std::string& calls);

/// Returns the header with the functions that NAME_run() calls: `declarations` of kernels, and
/// `functions`.
std::string steps_header(const NetworkFacts& facts, const std::vector<std::string>& declarations,
                         const std::vector<NamedFunction>& functions);

/// Returns the file with the operators that are not computed by kernels.
std::string operators_source(const NetworkFacts& facts,
                             const std::vector<NamedFunction>& functions);

/// Returns `text` for a comment of C. Characters other than letters, digits, spaces and some
/// punctuation marks become underscores, and characters after the first 100 are left out.
std::string comment_text(const std::string& text);

}  // namespace tileplan
