// SPDX-License-Identifier: Apache-2.0
// The command line, files and certificates call the choices of a plan by these names.
#pragma once

#include "names.h"
#include "tileplan/plan.h"

namespace tileplan {

constexpr Names<LayoutChoice, 4> kLayoutChoices{{{LayoutChoice::any, "any"},
                                                 {LayoutChoice::nhwc, "nhwc"},
                                                 {LayoutChoice::nchw, "nchw"},
                                                 {LayoutChoice::blocked, "blocked"}}};
constexpr Names<Capacity, 3> kCapacities{
    {{Capacity::ideal, "ideal"}, {Capacity::lru2, "lru2"}, {Capacity::ways, "ways"}}};
constexpr Names<Regime, 3> kRegimes{
    {{Regime::hot, "hot"}, {Regime::cold_weights, "cold-weights"}, {Regime::all_cold, "all-cold"}}};
constexpr Names<Verdict, 4> kVerdicts{{{Verdict::unmeasured, "unmeasured"},
                                       {Verdict::decided, "decided"},
                                       {Verdict::tied, "tied"},
                                       {Verdict::undecided, "undecided"}}};

}  // namespace tileplan
