// SPDX-License-Identifier: Apache-2.0
// This file reads cpuid, and finds out which vector registers and tiles the operating system lets
// this process use.
#pragma once

#include "tileplan/machine.h"
#include "topology.h"

namespace tileplan {

struct HostCpu {
  CpuSignature signature;
  /// This is the brand string of cpuid, which a hypervisor may change.
  std::string brand;
  /// Tells whether AVX2 and FMA exist and the operating system saves the ymm registers.
  bool avx2 = false;
  /// Tells whether `avx2` is true, AVX-512 F, BW, DQ and VL exist, and the operating system saves
  /// the zmm registers.
  bool avx512 = false;
  DotProducts dots = {};  ///< Lists the dot-product instructions of AVX-512.
  /// Lists the element types that AMX multiplies, if `avx512` is true and the operating system lets
  /// this process use AMX.
  DotProducts tiles = {};
  /// Tells whether `avx512` is true and AMX exists, but the operating system does not permit AMX.
  bool tiles_refused = false;
  bool virtual_machine = false;
  double base_hertz = 0;  ///< Gives the base clock, or 0 when cpuid leaf 0x16 reports none.
  std::vector<CacheGeometry> caches = {};
};

/// Describes this processor. The result is empty on processors other than x86-64.
HostCpu read_cpu();

/// Returns true when the operating system lets this process use the tiles of AMX. The first call
/// asks for the permission, which threads and forked processes inherit.
bool has_tile_permission();

struct CpuidLeaf {
  std::uint32_t eax = 0, ebx = 0, ecx = 0, edx = 0;
};

/// Decodes eax of leaf 1. For example, 0x50657 is family 6, model 85, stepping 7.
CpuSignature decode_signature(const std::string& vendor, std::uint32_t eax);

/// Decodes one subleaf of leaf 4 (Intel) or 0x8000001d (AMD). The level of the result is 0 unless
/// the subleaf describes a data or unified cache.
CacheGeometry decode_cache(const CpuidLeaf& leaf);

}  // namespace tileplan
