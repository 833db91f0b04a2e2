// SPDX-License-Identifier: Apache-2.0
// Compiles a kernel form whose reduction stays in the first-level cache.
#pragma once

#include <cstdint>
#include <vector>

#include "microkernel.h"
#include "tileplan/machine.h"

namespace tileplan {

/// Returns how many blocks of a form have 20 KiB of weights, rounded down to a multiple of 4.
std::int64_t block_count(const KernelForm& form);

/// Describes a call that computes the first `blocks` blocks of the reduction for a row of tiles.
struct FormCall {
  const char* input = nullptr;
  const char* weights = nullptr;
  char* output = nullptr;
  std::int64_t blocks = 0;
  std::int64_t tiles = 1;
  std::int64_t flags = 0;  ///< The flags are kAccumulate, kTail and kApplyEpilogue.
};

/// Runs a form inside T(blocks, c) on an nhwc input and blocked weights. If r = s = 1, the
/// reduction is one loop of c steps. Otherwise each block is straight-line code.
class FormKernel {
 public:
  /// Requires that the tile of `form` fits the register file of `unit` and kMaxPixels pixels.
  FormKernel(const KernelForm& form, const VectorUnit& unit);

  std::int64_t blocks() const { return blocks_; }
  std::int64_t output_bytes() const { return output_bytes_; }

  /// Requires blocks <= blocks(), 64 KiB at operands, and tiles * output_bytes() at the output.
  void run(const FormCall& call) const;

 private:
  std::int64_t steps_per_block_, blocks_, output_bytes_;
  Microkernel kernel_;
  bool straight_;
  std::vector<ReductionRun> runs_;  ///< A loop is one run; otherwise each block is one.
};

}  // namespace tileplan
