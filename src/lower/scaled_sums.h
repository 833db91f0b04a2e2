// SPDX-License-Identifier: Apache-2.0
// An epilogue determines when the output is added to the sums of a register tile, and whether alpha
// multiplies the sums and beta the output.
#pragma once

#include "tileplan/epilogue.h"

namespace tileplan {

/// Returns true when sums always start from zero. At the end of each part of a reduction, they are
/// then multiplied by alpha, and the output is added unless beta is 0 and the part is the first. If
/// the result is false, sums start from the output or from zero.
inline bool scales_sums(const Epilogue& epilogue) {
  return epilogue.alpha != 1 || (epilogue.beta != 0 && epilogue.beta != 1);
}

/// Returns true when the first part of a reduction multiplies the output by beta.
inline bool scales_output(const Epilogue& epilogue) {
  return epilogue.beta != 0 && epilogue.beta != 1;
}

}  // namespace tileplan
