// SPDX-License-Identifier: Apache-2.0
// Bursts of traffic overlap with less computation than steady traffic: models/README.md eq. (B).
#pragma once

#include <vector>

#include "nest.h"

namespace tileplan {

/// Describes the traffic of one tensor on the link that fills a cache.
struct TensorStream {
  double seconds = 0;  ///< Gives the time that the traffic takes on an idle link.
  /// Gives the share of the execution during which the tensor streams. If it is 0, nothing
  /// overlaps.
  double share = 1;
  /// Lists the share of the traffic in each part of the execution. If it is empty, each part has as
  /// large a share of the traffic as of the computation.
  std::vector<double> of_parts = {};
};

/// Returns the share of the execution during which `tensor` streams into a cache that holds the box
/// `cut`. If loops inside the innermost loop that loads new elements reuse the tensor, its link is
/// busy only during the first iteration of these loops. Example: weights of channel blocks that are
/// each used for 7 rows of outputs stream during 1/7 of the execution.
double streaming_share(const Computation& computation, const Nest& nest, const TensorAccess& tensor,
                       const Tile& cut);

/// Returns the term of one link in eq. (T) for `compute` seconds of computation: (S^rho + sum_i
/// (T_i^rho - compute^rho))^(1/rho) with rho = `exponent`. S is the sum of the seconds of all
/// steady streams (share 1). Each other stream i has T_i = (1 - share) compute + ((share
/// compute)^rho + seconds^rho)^(1/rho). The result is at least the sum of the seconds of all
/// streams, because they share the link. Requires exponent >= 1. Example: two bursts of 2 and 3 s
/// without any computation take 5 s.
double partial_overlap_seconds(const std::vector<TensorStream>& streams, double compute,
                               double exponent);

/// Returns the term of one link in eq. (T) for an execution that consists of parts, whose shares of
/// the computation `parts` lists. Traffic overlaps with the computation of its own part alone: the
/// term t solves (compute^rho + t^rho)^(1/rho) = sum_p (c_p^rho + t_p^rho)^(1/rho), where t_p is
/// partial_overlap_seconds() of the computation c_p and the traffic of part p. The result is at
/// least the term of the same traffic in an execution of one part. Requires that
/// TensorStream::of_parts is empty or as long as `parts`, and exponent >= 1. Example: a link that
/// is busy for 10 s in one of two equal parts of 10 s and idle in the other prolongs the execution
/// by 4.1 s for exponent 2, and if its traffic were spread, by 2.4 s.
double partial_overlap_seconds(const std::vector<TensorStream>& streams,
                               const std::vector<double>& parts, double compute, double exponent);

}  // namespace tileplan
