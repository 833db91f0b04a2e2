// SPDX-License-Identifier: Apache-2.0
// A microkernel computes a register tile of pixels x channel vectors from lists of reduction runs.
#pragma once

#include <memory>

#include "microkernel_spec.h"

namespace tileplan {

class MicrokernelAssembler;

/// Owns the code of one spec, whose memory is never writable and executable at once.
class Microkernel {
 public:
  /// Requires: the tile fits the register file (fits_registers), and offsets are within 2 GiB.
  explicit Microkernel(const MicrokernelSpec& spec);

  KernelFunction function() const;
  /// Returns ReductionRun::body for `pixels`, which must be one of spec.reduction.bodies.
  const void* body(PixelSet pixels) const;
  /// Returns ReductionRun::body for the list `number` of spec.reduction.unrolled.
  const void* unrolled(std::size_t number) const;

 private:
  std::shared_ptr<const MicrokernelAssembler> assembler_;
};

}  // namespace tileplan
