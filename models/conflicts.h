// SPDX-License-Identifier: Apache-2.0
// These functions estimate how many cache lines exceed the ways of their sets (lines of the pixels
// of a register tile, of stores and of weights in place), and how many stores lie in two cache
// lines, fill parts of lines or have lines at one place of different pages: models/README.md eq.
// (A), (W) and (I).
#pragma once

#include "nest.h"
#include "tileplan/machine.h"

namespace tileplan {

/// Returns the number of cache lines that register tiles of `nest` load again because the lines of
/// their pixels share too few sets of the L1 cache. An overflowing cache line is loaded again in
/// each reduction step that reads the same line as the step before it. Example: 14 pixels that are
/// 4096 bytes apart fall into one of 64 sets, whose 8 ways they exceed by 6 cache lines.
double conflict_lines(const Computation& computation, const Nest& nest, const TensorLayout& input,
                      const CacheLevel& l1);

/// Returns how many cache lines of the stores in flight exceed the ways of their sets in the L1
/// cache, so that a core evicts them before it writes them, divided by how many would if all of
/// these lines shared one set. The result is 0 when the sets have enough ways. Reductions outside
/// the register tile repeat stores and are left out. Example: rows of the output are 2048 bytes
/// apart, and 64 stores in flight go to 64 rows. Each of two sets gets 32 cache lines for 8 ways,
/// so 48 lines do not fit. In one set, 56 lines would not fit, so the result is 48 / 56. Requires a
/// cache.
double conflicting_stores(const Computation& computation, const Nest& nest,
                          const TensorLayout& output, const Machine& machine);

/// Returns the share of the outputs that are stored by calls whose register tile fills only parts
/// of cache lines, or has lines at the same offset in different pages. Example: if rows have 4096
/// bytes, pixels in one column have lines at the same offset. Requires a cache.
double scattered_stores(const Computation& computation, const Nest& nest,
                        const TensorLayout& output, const Machine& machine);

/// Returns the share of the vectors of outputs that lie in two cache lines, when the output begins
/// at a cache line. Example: rows of 408 floats put half of their vectors of 16 into two lines, and
/// rows of 407 floats 15 of 16. Requires a cache.
double split_stores(const Computation& computation, const Nest& nest, const TensorLayout& output,
                    const Machine& machine);

/// Returns the share of the cache lines of the weights of `box`, read in place as `layout` stores
/// them, that `cache` evicts before loops read them again in the same order. The positions of the
/// lines in their pages select sets as in storage_in() of an outer cache, and LRU evicts all lines
/// of a set with more lines than ways. Example: 512 lines at one position of their pages fall into
/// 32 sets of 16 ways, 16 per set on average, and 53 % of them are in sets with more than 16.
double evicted_share(const Computation& computation, const TensorLayout& layout, const Tile& box,
                     const CacheLevel& cache);

}  // namespace tileplan
