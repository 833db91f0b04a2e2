// SPDX-License-Identifier: Apache-2.0
// Reads cpuid, and which registers the operating system saves.
#pragma once

#include "tileplan/machine.h"
#include "topology.h"

namespace tileplan {

struct HostCpu {
  CpuSignature signature;
  std::string brand;    ///< "AMD EPYC", as the hypervisor shows it
  bool avx2 = false;    ///< AVX2 and FMA, and the operating system saves ymm
  bool avx512 = false;  ///< F, BW, DQ and VL, and the operating system saves zmm
  bool virtual_machine = false;
  double base_hertz = 0;  ///< leaf 0x16; 0: not reported
  std::vector<CacheGeometry> caches = {};
};

/// Reads this processor. The result is empty on anything but x86-64.
HostCpu read_cpu();

struct CpuidLeaf {
  std::uint32_t eax = 0, ebx = 0, ecx = 0, edx = 0;
};

/// Decodes leaf 1's eax. Example: 0x50657 is family 6, model 85, stepping 7.
CpuSignature decode_signature(const std::string& vendor, std::uint32_t eax);

/// Decodes one subleaf of leaf 4 (Intel) or 0x8000001d (AMD). The level is 0 for no data cache.
CacheGeometry decode_cache(const CpuidLeaf& leaf);

}  // namespace tileplan
