// SPDX-License-Identifier: Apache-2.0
// Reads cpuid and which vector registers the operating system saves at a context switch.
#pragma once

#include "tileplan/machine.h"
#include "topology.h"

namespace tileplan {

struct HostCpu {
  CpuSignature signature;
  std::string brand;    ///< A hypervisor may choose this name.
  bool avx2 = false;    ///< AVX2 and FMA exist, and the operating system saves ymm.
  bool avx512 = false;  ///< F, BW, DQ and VL exist, and zmm is saved.
  bool virtual_machine = false;
  double base_hertz = 0;  ///< The value is 0 when leaf 0x16 reports no clock.
  std::vector<CacheGeometry> caches = {};
};

/// Reads this processor. The result is empty on anything but x86-64.
HostCpu read_cpu();

struct CpuidLeaf {
  std::uint32_t eax = 0, ebx = 0, ecx = 0, edx = 0;
};

/// Decodes eax of leaf 1. For example, 0x50657 is family 6, model 85, stepping 7.
CpuSignature decode_signature(const std::string& vendor, std::uint32_t eax);

/// Decodes one subleaf of leaf 4 (Intel) or 0x8000001d (AMD). Without a data cache, level is 0.
CacheGeometry decode_cache(const CpuidLeaf& leaf);

}  // namespace tileplan
