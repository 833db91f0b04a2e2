// SPDX-License-Identifier: Apache-2.0
// This file draws a random problem with a random schedule, so that features occur in many
// combinations.
#pragma once

#include <string>

#include "random_conv.h"
#include "tileplan/epilogue.h"
#include "tileplan/machine.h"
#include "tileplan/problem.h"
#include "tileplan/schedule.h"

namespace tileplan::test {

struct RandomCase {
  Problem problem;
  Schedule schedule;
  Epilogue epilogue;
  Isa isa = Isa::avx2;
  int threads = 1;
};

/// Draws a convolution, a product or a relation with a schedule and an epilogue, which compile()
/// may refuse. Convolutions have at most 3 million multiply-adds, and products a tenth of that.
/// The drawn instruction set is AVX2, or another one that this host supports.
RandomCase random_case(Random& random);

/// Returns problem, schedule, epilogue, instruction set and number of threads on one line.
std::string to_string(const RandomCase& drawn);

int lanes_of(const RandomCase& drawn);

}  // namespace tileplan::test
