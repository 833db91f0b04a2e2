// SPDX-License-Identifier: Apache-2.0
// Nest x machine -> Prediction: compute, bytes and seconds per level, the bottleneck. model.md 8.2, 8.3.
#pragma once

#include "nest.h"
#include "tileplan/machine.h"
#include "tileplan/prediction.h"

namespace tileplan {

/// Seconds of all microkernel calls of `nest`: sum over branches of calls * (c_call + steps * c_step). The steps are the
/// reduction loops directly around the register tile; everything else multiplies the calls.
double compute_seconds(const Computation& computation, const Nest& nest, const Machine& machine);

/// T = (T_comp^rho + sum_l t_l^rho)^(1/rho). eq. (T). Hot caches: levels that hold the whole problem cost nothing.
Prediction predict(const Computation& computation, const Schedule& schedule, const Machine& machine);

/// eq. (T) alone.
double overlapped(double compute_seconds, const std::vector<double>& level_seconds, double exponent);

}  // namespace tileplan
