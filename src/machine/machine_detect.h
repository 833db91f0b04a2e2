// SPDX-License-Identifier: Apache-2.0
// This file makes a Machine of the host's reports, and tells whether a machine is this host.
#pragma once

#include "host_cpu.h"

namespace tileplan {

struct HostReport {
  HostCpu cpu;
  HostTopology system;
  std::vector<CacheGeometry> hwloc;
};

/// Returns the machine that `host` describes. Each cache comes from sysfs, else hwloc, else cpuid,
/// else defaults; `notes` lists disagreements. Throws Error when the host has no AVX2 and FMA.
Machine machine_of(const HostReport& host);

/// Returns `detected` with the measurements at `path`, or with a note why they are not used.
Machine with_calibration(Machine detected, const std::string& path);

/// Returns why `machine` is not `host` (signature, ISA, nominal clock), if it is not.
std::optional<std::string> mismatch(const Machine& machine, const Machine& host);

}  // namespace tileplan
