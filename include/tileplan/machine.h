// SPDX-License-Identifier: Apache-2.0
// A machine as data: caches, vector unit, microkernel rates; what was detected and what was
// measured.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tileplan/isa.h"
#include "tileplan/problem.h"

namespace tileplan {

/// cpuid signature; `vendor` is empty for machines without cpuid (AArch64).
struct CpuSignature {
  std::string vendor = {};  ///< "GenuineIntel"
  int family = 0, model = 0, stepping = 0;

  bool operator==(const CpuSignature&) const = default;
};

/// One cache. Bandwidths are of the link that fills this level from the next one (the last level is
/// filled from memory), one core, bytes per second.
struct CacheLevel {
  std::string name = {};  ///< "L1", "L2", "L3"
  std::int64_t capacity_bytes = 0;
  std::int64_t line_bytes = 64;
  int ways = 8;
  int shared_by_cores = 1;
  bool victim = false;  ///< holds what the level below evicted, not a copy of it
  double usable = 1.0;  ///< share of the capacity that the model plans with (phi)
  double fill_bytes_per_second = 0;
  double write_bytes_per_second = 0;  ///< 0: as fast as filling
  std::string source = {};            ///< where the sizes and `victim` come from (detected)
  std::string rate_source = {};       ///< where `usable` and the bandwidths come from (calibrated)

  bool operator==(const CacheLevel&) const = default;
};

/// The vector unit of one core (models/README.md eq. (K): nFMA, nLD, nST, nISS, L).
struct VectorUnit {
  Isa isa = Isa::avx512;
  int lanes = 16;  ///< elements of type `element` per register; 1: code without vectors
  ElementType element = ElementType::f32;
  int registers = 32;
  int fma_units = 2;
  int load_ports = 2;      ///< full-width loads per cycle
  int store_ports = 1;     ///< full-width stores per cycle
  int issue_width = 4;     ///< fused operations per cycle
  double fma_latency = 4;  ///< cycles
  std::string source = {};

  bool operator==(const VectorUnit&) const = default;
};

/// Measured rate of one register tile: time(steps) = cycles_per_call + steps * cycles_per_step, and
/// cycles_per_resume more when the call continues a split reduction.
struct KernelRate {
  int pixels = 0;                ///< rows of the tile (outputs that share the weights)
  int vectors = 0;               ///< vectors of output channels
  double cycles_per_step = 0;    ///< one reduction step
  double cycles_per_call = 0;    ///< loading or clearing, storing the tile, loop entry
  double cycles_per_resume = 0;  ///< loading the tile from the output instead of clearing it

  bool operator==(const KernelRate&) const = default;
};

/// A microkernel as unrolled loops around one vector of k: [U(s,s), U(r,r), U(c,c), U(w,w), U(h,h),
/// U(k,k), V(k)]. k counts vectors.
struct KernelForm {
  int w = 1, h = 1, k = 1;  ///< outputs held in registers
  int r = 1, s = 1, c = 1;  ///< reduction steps of one block

  auto operator<=>(const KernelForm&) const = default;
};

/// Measured rate of one form, as KernelRate: a step is one of the r s c of a block.
struct FormRate {
  KernelForm form = {};
  double cycles_per_step = 0;
  double cycles_per_call = 0;

  bool operator==(const FormRate&) const = default;
};

/// Registers of half the width of Machine::vector on cores that multiply and add as much with them:
/// they waste less where channels or pixels do not fill wide ones.
struct NarrowUnit {
  VectorUnit vector = {};
  std::vector<KernelRate> kernels = {};  ///< as Machine::kernels

  bool operator==(const NarrowUnit&) const = default;
};

/// Machine files and plan() take only machines that the models can work with; what they throw for
/// others names the field, its value and the rule. Lanes fill a register of the ISA, which has 4 to
/// 32; lines are powers of two from 8 to 4096 bytes; caches have at most 1 TiB and, unless they are
/// victim caches, at least what the one before them has, and are called L1, L2 and so on; rates are
/// positive and finite.
struct Machine {
  std::string name = {};
  CpuSignature cpu = {};
  int cores = 1;
  double nominal_hertz = 0;  ///< clock that the host reports, often the base clock; 0: unknown
  double hertz = 0;          ///< clock that the rates are expressed in: measured, else nominal
  VectorUnit vector = {};
  std::optional<NarrowUnit> narrow = {};  ///< absent where wide registers do at least as well
  std::vector<CacheLevel> caches = {};    ///< innermost first
  double overlap_exponent = 4;            ///< rho of eq. (T): 1 = no overlap, large = roofline
  int prefetch_steps =
      0;  ///< reduction steps ahead that weights from beyond L1 are prefetched; 0: not
  std::vector<KernelRate> kernels = {};  ///< empty: the throughput bound of the vector unit is used
  /// All forms that a full calibration measured, sorted. The model needs only `kernels`, so
  /// detect_machine leaves this empty; load_machine reads it.
  std::vector<FormRate> family = {};
  std::string calibrated = {};          ///< when and how; empty: never measured, defaults only
  std::string source = {};              ///< of the name, cores and nominal clock
  std::vector<std::string> notes = {};  ///< e.g. what detection could not find out

  bool operator==(const Machine&) const = default;
};

/// Peak of one core, flop/s: 2 * lanes * fma_units * hertz.
double peak_flops(const Machine& machine);

/// `machine` as kernels over elements of `type` see it: lanes are vector bytes by element bytes,
/// and the peak follows them. Rates of register tiles stay: a step multiplies and adds whole
/// vectors, and FMA units and ports take as long for a vector of doubles as for one of floats (the
/// same latency and throughput of vfmadd231ps and pd on every x86 core: uops.info). Machine files
/// are f32.
Machine machine_for(Machine machine, ElementType type);

/// `machine` with its narrow unit as the vector unit, and no other. Requires: it has one.
Machine with_narrow_unit(Machine machine);

/// This host: cpuid, sysfs and hwloc for what exists; the calibration of the user's cache directory
/// when it belongs to this host, defaults of the microarchitecture otherwise. `notes` says which
/// and why, and where the sources disagree. Measures nothing. Throws Error when the host has no
/// AVX2 and FMA.
Machine detect_machine();

/// Why kernels for `machine` cannot run on this host, or its rates do not belong to it: another
/// cpuid signature, an ISA that this host lacks, a nominal clock (hence peak) that differs by more
/// than 5 %. Nothing when it is the host. Never throws for a host that cannot be planned for: says
/// so.
std::optional<std::string> host_mismatch(const Machine& machine);

/// The shipped machine with that name ("xeon-gold-6130"), else the machine file at that path (a
/// path with a folder, "./xeon-gold-6130", is always a file). Throws Error with the file, the field
/// and the rule.
Machine load_machine(const std::string& path_or_name);

/// Writes `machine` as JSON, atomically; makes missing folders. Requires: load_machine accepts it.
/// Throws Error.
void save_machine(const Machine& machine, const std::string& path);

/// Names of the shipped machine files, sorted.
std::vector<std::string> shipped_machines();

/// Where `calibrate` keeps this user's measurements: tileplan/machine.json under XDG_CACHE_HOME,
/// else under HOME/.cache. Throws Error when neither is an absolute path.
std::string machine_cache_path();

}  // namespace tileplan
