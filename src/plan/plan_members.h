// SPDX-License-Identifier: Apache-2.0
// These tables name the members of plans in JSON, in the order in which the headers declare them.
#pragma once

#include "json_members.h"
#include "tileplan/plan.h"

namespace tileplan {

constexpr std::tuple kLevelMembers{
    JsonMember{"name", &LevelPrediction::name, &Fields::text},
    JsonMember{"bytes", &LevelPrediction::bytes, &Fields::non_negative},
    JsonMember{"seconds", &LevelPrediction::seconds, &Fields::non_negative},
    JsonMember{"burst_seconds", &LevelPrediction::burst_seconds, &Fields::non_negative}};

constexpr std::tuple kUnhiddenMembers{
    JsonMember{"exposed", &Unhidden::exposed, &Fields::non_negative},
    JsonMember{"packing", &Unhidden::packing, &Fields::non_negative},
    JsonMember{"repack", &Unhidden::repack, &Fields::non_negative},
    JsonMember{"fork", &Unhidden::fork, &Fields::non_negative},
    JsonMember{"prefetching", &Unhidden::prefetching, &Fields::non_negative}};

constexpr std::tuple kMeasurementMembers{
    JsonMember{"median_seconds", &Measurement::median_seconds, &Fields::positive},
    JsonMember{"low_seconds", &Measurement::low_seconds, &Fields::positive},
    JsonMember{"high_seconds", &Measurement::high_seconds, &Fields::positive},
    JsonMember{"kept", &Measurement::kept, &Fields::whole},
    JsonMember{"samples", &Measurement::samples, &Fields::whole},
    JsonMember{"times", &Measurement::times, &Fields::non_negatives},
    JsonMember{"taken", &Measurement::taken, &Fields::text}};

constexpr std::tuple kRejectedMembers{JsonMember{"reason", &Rejected::reason, &Fields::text},
                                      JsonMember{"count", &Rejected::count, &Fields::size}};

constexpr std::tuple kProofMembers{
    JsonMember{"optimum", &PerLevelProof::optimum, &Fields::non_negative},
    JsonMember{"bound", &PerLevelProof::bound, &Fields::non_negative},
    JsonMember{"solved", &PerLevelProof::solved, &Fields::size},
    JsonMember{"pruned", &PerLevelProof::pruned, &Fields::size},
    JsonMember{"unsolved", &PerLevelProof::unsolved, &Fields::size}};

constexpr std::tuple kDivisibilityMembers{
    JsonMember{"level", &Divisibility::level, &Fields::text},
    JsonMember{"divisors", &Divisibility::divisors, &Fields::non_negative},
    JsonMember{"any", &Divisibility::any, &Fields::non_negative},
    JsonMember{"any_bound", &Divisibility::any_bound, &Fields::non_negative}};

constexpr std::tuple kAlgorithmMembers{
    JsonMember{"algorithm", &AlgorithmBound::algorithm, &Fields::text},
    JsonMember{"optimum", &AlgorithmBound::optimum, &Fields::non_negative},
    JsonMember{"compute_bound", &AlgorithmBound::compute_bound, &Fields::non_negative},
    JsonMember{"traffic_bound", &AlgorithmBound::traffic_bound, &Fields::non_negative},
    JsonMember{"bound", &AlgorithmBound::bound, &Fields::non_negative},
    JsonMember{"relative_error", &AlgorithmBound::relative_error, &Fields::non_negative}};

constexpr std::tuple kCertificateMembers{
    JsonMember{"space", &Certificate::space, &Fields::text},
    JsonMember{"optimum", &Certificate::optimum, &Fields::non_negative},
    JsonMember{"bottleneck", &Certificate::bottleneck, &Fields::text},
    JsonMember{"bound", &Certificate::bound, &Fields::non_negative},
    JsonMember{"nodes", &Certificate::nodes, &Fields::size},
    JsonMember{"gap", &Certificate::gap, &Fields::non_negative}};

}  // namespace tileplan
