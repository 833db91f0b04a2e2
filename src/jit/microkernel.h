// SPDX-License-Identifier: Apache-2.0
// A microkernel computes register tiles: it sums products over the reduction steps that a list of
// runs describes.
#pragma once

#include <memory>

#include "microkernel_spec.h"

namespace tileplan {

class MicrokernelAssembler;

/// Owns the machine code of one MicrokernelSpec. The code is never writable and executable at once.
class Microkernel {
 public:
  /// Requires: the tile fits the registers (fits_registers, or check_tiles for AMX), and offsets
  /// are below 2 GiB. Throws Error when the ISA has no assembler or the system does not permit
  /// executable memory.
  explicit Microkernel(const MicrokernelSpec& spec);

  KernelFunction function() const;
  /// Returns the code for `pixels`, which must be one of spec.reduction.bodies.
  const void* body(PixelSet pixels) const;
  /// Returns the code of spec.reduction.unrolled[number], for ReductionRun::body.
  const void* unrolled(std::size_t number) const;
  std::size_t code_bytes() const;

 private:
  std::shared_ptr<const MicrokernelAssembler> assembler_;
};

}  // namespace tileplan
