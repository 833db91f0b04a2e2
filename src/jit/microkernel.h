// SPDX-License-Identifier: Apache-2.0
// The register-blocked microkernel computes pixels x channel vectors over lists of reduction runs.
#pragma once

#include <memory>

#include "microkernel_spec.h"

namespace tileplan {

class MicrokernelAssembler;

/// The code of one spec. Its memory is never writable and executable at once.
class Microkernel {
 public:
  /// Requires: the tile fits the register file (fits_registers), offsets within 2 GiB.
  explicit Microkernel(const MicrokernelSpec& spec);

  KernelFunction function() const;
  /// Entry of the body of `pixels`, for ReductionRun::body. Requires: one of spec.reduction.bodies.
  const void* body(PixelSet pixels) const;
  /// Entry of the unrolled list `number` of spec.reduction.unrolled, for ReductionRun::body.
  const void* unrolled(std::size_t number) const;

 private:
  std::shared_ptr<const MicrokernelAssembler> assembler_;
};

}  // namespace tileplan
