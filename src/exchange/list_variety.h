// SPDX-License-Identifier: Apache-2.0
// Tells how much the candidates of a list differ.
#pragma once

#include "tileplan/candidates.h"

namespace tileplan {

/// Counts how much the candidates of a list differ.
struct ListVariety {
  int pairs = 0;         ///< It counts distinct pairs of microkernel and order class.
  int same_volumes = 0;  ///< These candidates move the bytes of an earlier one at every level.
};
ListVariety variety_of(const CandidateList& list);

}  // namespace tileplan
