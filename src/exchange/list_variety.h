// SPDX-License-Identifier: Apache-2.0
// This file counts how much the candidates of a list differ.
#pragma once

#include "tileplan/candidates.h"

namespace tileplan {

struct ListVariety {
  int pairs = 0;  ///< The list has this many different pairs of microkernel and order class.
  /// This many candidates cause the same memory traffic as an earlier candidate.
  int same_volumes = 0;
};
ListVariety variety_of(const CandidateList& list);

}  // namespace tileplan
