// SPDX-License-Identifier: Apache-2.0
// This file finds out whether a BLAS library has kernels for this CPU.
#pragma once

#include "gemm_peers.h"
#include "tileplan/isa.h"

namespace tileplan {

/// Returns the share of the peak of one core that `peer` reaches in the product m512n512k512, the
/// best of several runs. Requires: `peer` is not missing.
double share_of_peak(const GemmPeer& peer, Isa isa);

/// Returns the reason why times of `peer` must not be compared, or an empty text. A library that
/// reaches less than half the peak in m512n512k512 uses kernels for other CPUs. Packing cannot be
/// the cause, because it takes a small share of the time of such a large product.
std::string wrong_kernels(const GemmPeer& peer, double share_of_peak);

}  // namespace tileplan
