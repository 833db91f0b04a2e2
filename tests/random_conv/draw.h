// SPDX-License-Identifier: Apache-2.0
// One random convolution with a random schedule: every feature drawn together with all others.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

#include "random_conv.h"
#include "tileplan/epilogue.h"
#include "tileplan/machine.h"
#include "tileplan/problem.h"
#include "tileplan/schedule.h"

namespace tileplan::test {

struct Drawn {
  ConvShape shape;
  Schedule schedule;
  Epilogue epilogue;
  Isa isa = Isa::avx2;
  int threads = 1;
};

/// Sizes 1 to 70, at most 3 million multiply-adds; instruction sets of this host.
Drawn draw(Random& random);

/// Problem, schedule, epilogue and instruction set on one line.
std::string to_string(const Drawn& drawn);

/// What a convolution can have; the test counts how often each was drawn and run.
constexpr std::array<std::string_view, 46> kFeatures = {"avx2",
                                                        "avx512",
                                                        "avx512vl",
                                                        "f32",
                                                        "f64",
                                                        "batch",
                                                        "1-D",
                                                        "3-D",
                                                        "groups",
                                                        "depthwise",
                                                        "multiplier",
                                                        "filter 1x1",
                                                        "stride",
                                                        "unequal stride",
                                                        "dilation",
                                                        "padding",
                                                        "uneven padding",
                                                        "in nhwc",
                                                        "in nchw",
                                                        "in blocked",
                                                        "out nhwc",
                                                        "out nchw",
                                                        "out blocked",
                                                        "mixed layouts",
                                                        "tail channels",
                                                        "V over k",
                                                        "V over g",
                                                        "V over w",
                                                        "tail pixels",
                                                        "k x pixels",
                                                        "lambda rows",
                                                        "lambda vectors",
                                                        "split sum",
                                                        "parallel",
                                                        "threads",
                                                        "several vectors",
                                                        "2-D tile",
                                                        "packed input",
                                                        "prefetch",
                                                        "nontemporal",
                                                        "accumulate",
                                                        "bias",
                                                        "residual",
                                                        "limits",
                                                        "no epilogue",
                                                        "uneven split"};
using FeatureCounts = std::array<long, kFeatures.size()>;

/// Adds one to the count of every feature that `drawn` has.
void count_features(const Drawn& drawn, FeatureCounts& counts);

}  // namespace tileplan::test
