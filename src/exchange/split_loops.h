// SPDX-License-Identifier: Apache-2.0
// This file turns schedules into perfectly nested loops, and tensors into index texts and extents,
// for formats without uneven splits.
#pragma once

#include "computation.h"

namespace tileplan {

/// Describes a loop of `trips` trips, each of `step` iterations of `dim`.
struct SplitLoop {
  Kind kind = Kind::tile;
  std::string dim = {};
  std::int64_t trips = 1, step = 1;

  bool operator==(const SplitLoop&) const = default;
};

/// Returns the reason why perfectly nested loops cannot express `schedule`: an index of the output
/// that is not a single loop, packing of the input or output, or an uneven split. Returns nothing
/// if they can.
std::optional<std::string> why_no_splits(const Schedule& schedule, const Computation& computation);

/// Returns the loops of `schedule`, outermost first, without loops of one trip. With vectors of 16
/// lanes, [T(2,k), U(2,k), V(k)] gives 2 trips of 32 iterations, 2 trips of 16, and 16 trips of 1.
/// Requires: `schedule` has no uneven split.
std::vector<SplitLoop> split_loops(const Schedule& schedule, const Computation& computation,
                                   int lanes);

/// Returns the indices of `tensor` as text without offsets, such as "2*h + r". In convolutions, the
/// channels of activations and the output channels of weights come last, except that filter taps
/// merged into one index (rs) follow the channels of the input.
std::vector<std::string> index_texts(const Computation& computation, const TensorAccess& tensor);

/// Returns, for each index of index_texts(), the number of values from its smallest to its largest.
/// Padding that the loops read counts as part of the tensor.
std::vector<std::int64_t> index_extents(const Computation& computation, const TensorAccess& tensor);

}  // namespace tileplan
