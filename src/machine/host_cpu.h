// SPDX-License-Identifier: Apache-2.0
// This file reads cpuid, and which registers the operating system saves.
#pragma once

#include "tileplan/machine.h"
#include "topology.h"

namespace tileplan {

struct HostCpu {
  CpuSignature signature;
  std::string brand;    ///< The hypervisor may choose it.
  bool avx2 = false;    ///< It includes FMA, and the operating system saves ymm.
  bool avx512 = false;  ///< F, BW, DQ and VL are there, and zmm is saved.
  bool virtual_machine = false;
  double base_hertz = 0;  ///< It is 0 when leaf 0x16 does not report it.
  std::vector<CacheGeometry> caches = {};
};

/// Reads this processor. The result is empty on anything but x86-64.
HostCpu read_cpu();

struct CpuidLeaf {
  std::uint32_t eax = 0, ebx = 0, ecx = 0, edx = 0;
};

/// Decodes eax of leaf 1. For example, 0x50657 is family 6, model 85, stepping 7.
CpuSignature decode_signature(const std::string& vendor, std::uint32_t eax);

/// Decodes one subleaf of leaf 4 (Intel) or 0x8000001d (AMD). The level is 0 for no data cache.
CacheGeometry decode_cache(const CpuidLeaf& leaf);

}  // namespace tileplan
