// SPDX-License-Identifier: Apache-2.0
// An epilogue determines when the output is added to the sums of a register tile.
#pragma once

#include "tileplan/epilogue.h"

namespace tileplan {

/// Returns true when sums start from zero and are scaled before the output is added to them, at the
/// end of each part of a reduction. Otherwise sums start from the output or from zero.
inline bool scales_sums(const Epilogue& epilogue) {
  return epilogue.alpha != 1 || (epilogue.beta != 0 && epilogue.beta != 1);
}

/// Returns true when the first part of a reduction multiplies the output by beta.
inline bool scales_output(const Epilogue& epilogue) {
  return epilogue.beta != 0 && epilogue.beta != 1;
}

}  // namespace tileplan
