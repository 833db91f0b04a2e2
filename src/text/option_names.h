// SPDX-License-Identifier: Apache-2.0
// The command line, files and certificates use these names for the options and the verdict of a
// plan.
#pragma once

#include "names.h"
#include "tileplan/plan.h"

namespace tileplan {

constexpr Names<LayoutChoice, 4> kLayoutChoices{{{LayoutChoice::any, "any"},
                                                 {LayoutChoice::nhwc, "nhwc"},
                                                 {LayoutChoice::nchw, "nchw"},
                                                 {LayoutChoice::blocked, "blocked"}}};
constexpr Names<WeightsChoice, 2> kWeightsChoices{
    {{WeightsChoice::packed, "packed"}, {WeightsChoice::plain, "plain"}}};
constexpr Names<Capacity, 3> kCapacities{
    {{Capacity::ideal, "ideal"}, {Capacity::lru2, "lru2"}, {Capacity::ways, "ways"}}};
constexpr Names<Algorithm, 3> kAlgorithms{
    {{Algorithm::direct, "direct"}, {Algorithm::winograd, "winograd"}, {Algorithm::any, "any"}}};
constexpr Names<GemmVariant, 6> kGemmVariants{{{GemmVariant::b3a2c0, "B3A2C0"},
                                               {GemmVariant::a3b2c0, "A3B2C0"},
                                               {GemmVariant::b3c2a0, "B3C2A0"},
                                               {GemmVariant::a3c2b0, "A3C2B0"},
                                               {GemmVariant::c3b2a0, "C3B2A0"},
                                               {GemmVariant::c3a2b0, "C3A2B0"}}};
constexpr Names<Regime::Kind, 4> kRegimes{{{Regime::Kind::hot, "hot"},
                                           {Regime::Kind::cold_weights, "cold-weights"},
                                           {Regime::Kind::all_cold, "all-cold"},
                                           {Regime::Kind::network, "network"}}};
constexpr Names<Verdict, 4> kVerdicts{{{Verdict::unmeasured, "unmeasured"},
                                       {Verdict::decided, "decided"},
                                       {Verdict::tied, "tied"},
                                       {Verdict::undecided, "undecided"}}};

}  // namespace tileplan
