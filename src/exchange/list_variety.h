// SPDX-License-Identifier: Apache-2.0
// This file counts how much the candidates of a list differ.
#pragma once

#include "tileplan/candidates.h"

namespace tileplan {

struct ListVariety {
  int pairs = 0;         ///< The list has this many pairs of microkernel and order class.
  int same_volumes = 0;  ///< This many candidates have the memory traffic of an earlier one.
};
ListVariety variety_of(const CandidateList& list);

}  // namespace tileplan
