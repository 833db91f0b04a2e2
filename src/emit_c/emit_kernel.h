// SPDX-License-Identifier: Apache-2.0
// This file emits the kernel of a layer of a network, together with the facts that its callers
// need.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "tileplan/emit.h"
#include "weights_order.h"
#include "winograd_convolution.h"

namespace tileplan {

/// Holds an emitted kernel with facts that its callers need. If has_stages() (stage_plan.h) returns
/// true for the element types, only `c` is set.
struct EmittedKernel {
  EmittedC c = {};
  Computation computation = {};  ///< This computation describes the tensors of the caller.
  std::optional<WinogradConvolution> winograd = {};
  /// The function NAME_run reads packed weights in this order, if it takes packed weights.
  WeightsOrder weights = {};
  bool takes_packed = true;  ///< If false, the function NAME_run takes plain weights.
  std::int64_t scratch = 0;  ///< The packed boxes take this many elements of the array `scratch`.
  std::string declaration = {};  ///< This line declares the function NAME_run.
};

/// Emits the kernel as emit_c() does, and returns it with the facts above. If `scratch` is not
/// empty and has_stages() returns false, packed boxes lie in the thread-local array of this name,
/// which another file defines, so that the kernels of a network share the memory. Throws Error as
/// emit_c() does.
EmittedKernel emit_kernel(const Problem& problem, const Schedule& schedule,
                          const EmitOptions& options, const std::string& scratch = {});

/// Throws Error unless `name` is not empty, consists of letters, digits and underscores, and begins
/// with no digit. Keywords of C are allowed, because `name` only begins the names in the emitted C.
void check_c_name(const std::string& name);

}  // namespace tileplan
