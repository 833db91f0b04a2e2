// SPDX-License-Identifier: Apache-2.0
// This file declares products without vectors, the first steps in which the paper on the GEMM
// family makes a product fast.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "gemm_peers.h"

namespace tileplan {

/// Computes C = A B for row-major matrices without gaps between rows.
struct ScalarProduct {
  std::string name;
  std::function<void(const GemmShape& shape, const GemmOperands& operands)> run;
};

/// Returns the first three steps of an optimisation: plain loops, loops in blocks of 64, and such
/// loops with packed blocks of B. They are compiled without vector instructions.
std::vector<ScalarProduct> scalar_products();

}  // namespace tileplan
