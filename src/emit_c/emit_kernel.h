// SPDX-License-Identifier: Apache-2.0
// Emits the kernel of a layer of a network, together with what packs its weights.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "tileplan/emit.h"
#include "weights_order.h"
#include "winograd_convolution.h"

namespace tileplan {

/// Holds an emitted kernel and what its callers need besides.
struct EmittedKernel {
  EmittedC c = {};
  Computation computation = {};  ///< It describes the tensors of the caller.
  std::optional<WinogradConvolution> winograd = {};
  WeightsOrder weights = {};     ///< NAME_run reads weights in this order, if it takes packed ones.
  bool takes_packed = true;      ///< Without it, NAME_run takes plain weights.
  std::int64_t scratch = 0;      ///< The boxes take this many elements of the array `scratch`.
  std::string declaration = {};  ///< This line declares NAME_run.
};

/// Returns emit_c() of the arguments. If `scratch` is not empty, it names a thread-local array of
/// another file in which the boxes lie, so that the kernels of a network share them. Throws Error
/// as emit_c() does.
EmittedKernel emit_kernel(const Problem& problem, const Schedule& schedule,
                          const EmitOptions& options, const std::string& scratch = {});

/// Throws Error unless `name` is an identifier of C.
void check_c_name(const std::string& name);

}  // namespace tileplan
