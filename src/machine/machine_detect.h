// SPDX-License-Identifier: Apache-2.0
// Builds a Machine from what this host reports, and tells whether a given machine is this host.
#pragma once

#include "host_cpu.h"

namespace tileplan {

struct HostReport {
  HostCpu cpu;
  HostTopology system;
  std::vector<CacheGeometry> hwloc;
};

/// Returns the machine that `host` describes. Cache sizes come from the first of sysfs, hwloc,
/// cpuid and defaults that has them. The provenance notes list the differences. Throws Error when
/// the host has no AVX2 and FMA.
Machine machine_of(const HostReport& host);

/// Returns `detected` with the measurements at `path`, or with a note why none of them applies.
Machine with_calibration(Machine detected, const std::string& path);

/// Returns how `machine` differs from `host` in signature, ISA or nominal clock, if it does.
std::optional<std::string> mismatch(const Machine& machine, const Machine& host);

}  // namespace tileplan
