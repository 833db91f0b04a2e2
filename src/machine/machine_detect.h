// SPDX-License-Identifier: Apache-2.0
// From what the host reports to a Machine; and whether a machine is this host.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "host_cpu.h"
#include "tileplan/machine.h"
#include "topology.h"

namespace tileplan {

/// Everything that is known about a host before any decision.
struct HostReport {
  HostCpu cpu;
  HostTopology system;               ///< sysfs and /proc
  std::vector<CacheGeometry> hwloc;  ///< a second opinion on the caches
};

/// The machine that `host` describes, with the defaults of its microarchitecture; pure. Each cache
/// comes from sysfs, else hwloc, else cpuid, else the defaults; where they disagree `notes` says
/// so. Throws Error when the host has no AVX2 and FMA.
Machine machine_of(const HostReport& host);

/// `detected` with the measurements of the machine file at `path`, or unchanged but for a note that
/// says why not: no file, a file that cannot be read, or one that belongs to another machine.
Machine with_calibration(Machine detected, const std::string& path);

/// Why `machine` is not `host`: signature, ISA, nominal clock. Nothing when it is.
std::optional<std::string> mismatch(const Machine& machine, const Machine& host);

}  // namespace tileplan
