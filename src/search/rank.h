// SPDX-License-Identifier: Apache-2.0
// Sorts, removes duplicates and near-copies, keeps the best few.
#pragma once

#include <vector>

#include "tileplan/plan.h"

namespace tileplan {

/// Predicted times this close to the best are a tie: the model does not tell them apart.
constexpr double kTie = 0.03;

/// `candidates` by predicted time, but of those within kTie of the best the longer reductions per
/// microkernel call first (TTile's rule), then those that need fewer bytes from
/// beyond the second-level cache, by powers of two, then those of fewer loops, which walk memory in
/// straighter lines; equal ones by schedule text. Without equal schedules and without near-copies,
/// at most `keep`, and of one register tile in one layout at most a quarter of them while others
/// are left: what the model gets wrong, it gets wrong for a whole tile. For the same reason those
/// that are tied with the best are dealt out to the layouts and numbers of vectors per pixel that
/// occur among them: 1x1 on large images runs up to 10 % faster in blocks of channels, short
/// reductions up to 20 % faster with two vectors than the model can tell. At most half are streamed
/// (nt), at most half prefetch ahead where a link is the bottleneck: how fast that is differs most
/// between machines. A near-copy of a better candidate has the same register tiles, layouts and
/// marks and moves the same bytes at every level.
std::vector<Candidate> best_first(std::vector<Candidate> candidates, int keep);

}  // namespace tileplan
