// SPDX-License-Identifier: Apache-2.0
// This file builds a Machine from reports on this host and from its calibration, and compares
// machines with this host.
#pragma once

#include "host_cpu.h"

namespace tileplan {

struct HostReport {
  HostCpu cpu;
  HostTopology system;
  std::vector<CacheGeometry> hwloc;
};

/// Returns the machine that `host` describes. Cache sizes come from the first of sysfs, hwloc,
/// cpuid and defaults that reports them. The provenance notes list caches that no source reports,
/// and capacities and ways that differ from those of the first source that reports the cache.
/// Throws Error when the host lacks AVX2 or FMA, or its operating system does not enable them.
Machine machine_of(const HostReport& host);

/// Returns `detected` with the measurements in the file at `path`. If there is no file, a note says
/// so. If the measurements are not usable, Provenance::refusal tells why.
Machine with_calibration(Machine detected, const std::string& path);

/// Returns how `machine` differs from `host` in signature, ISA, AMX or nominal clock. Returns
/// nothing when kernels for `machine` run on `host` and its rates apply.
std::optional<std::string> mismatch(const Machine& machine, const Machine& host);

}  // namespace tileplan
