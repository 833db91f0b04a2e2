// SPDX-License-Identifier: Apache-2.0
// An epilogue determines when the output is added to the sums of a register tile, and whether alpha
// and beta multiply them.
#pragma once

#include "tileplan/epilogue.h"

namespace tileplan {

/// Returns true when sums start from zero, and at the end of each part of a reduction are
/// multiplied by alpha and added to the output. Otherwise sums start from the output or from zero.
inline bool scales_sums(const Epilogue& epilogue) {
  return epilogue.alpha != 1 || (epilogue.beta != 0 && epilogue.beta != 1);
}

/// Returns true when the first part of a reduction multiplies the output by beta.
inline bool scales_output(const Epilogue& epilogue) {
  return epilogue.beta != 0 && epilogue.beta != 1;
}

}  // namespace tileplan
