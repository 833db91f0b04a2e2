// SPDX-License-Identifier: Apache-2.0
// Finds out whether a BLAS library has kernels for this CPU.
#pragma once

#include "gemm_peers.h"
#include "tileplan/isa.h"

namespace tileplan {

/// Returns the share of the peak of one core that `peer` reaches in the product m512n512k512, the
/// best of several runs. Requires a peer that is not missing.
double share_of_peak(const GemmPeer& peer, Isa isa);

/// Returns the reason why times of `peer` must not be compared, or nothing. A library that reaches
/// less than half the peak in a square product uses kernels for other CPUs, since it packs in a
/// time that such a product hides.
std::string wrong_kernels(const GemmPeer& peer, double share_of_peak);

}  // namespace tileplan
