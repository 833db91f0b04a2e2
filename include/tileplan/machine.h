// SPDX-License-Identifier: Apache-2.0
// A machine is data: its caches, its vector unit and the measured rates of its microkernels.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tileplan/element.h"
#include "tileplan/isa.h"

namespace tileplan {

/// The cpuid signature. `vendor` is empty for machines without cpuid (AArch64).
struct CpuSignature {
  std::string vendor = {};  ///< "GenuineIntel"
  int family = 0, model = 0, stepping = 0;

  bool operator==(const CpuSignature&) const = default;
};

/// One cache. Its bandwidths are those that one core sees on the link that fills this level from
/// the next one, or from memory for the last level.
struct CacheLevel {
  std::string name = {};  ///< "L1", "L2", "L3"
  std::int64_t capacity_bytes = 0;
  std::int64_t line_bytes = 64;
  int ways = 8;
  int shared_by_cores = 1;
  bool victim = false;  ///< holds lines that the level below evicted, not copies of its lines
  double usable = 1.0;  ///< share of the capacity that the model plans with (phi)
  double fill_bytes_per_second = 0;
  double write_bytes_per_second = 0;  ///< 0: as fast as filling
  std::string source = {};            ///< origin of the sizes and of `victim`
  std::string rate_source = {};       ///< origin of `usable` and the bandwidths

  bool operator==(const CacheLevel&) const = default;
};

/// The vector unit of one core (models/README.md eq. (K)).
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

/// The measured rate of one register tile. A call of n reduction steps takes cycles_per_call +
/// n * cycles_per_step cycles, and cycles_per_resume more when it continues a split reduction.
struct KernelRate {
  int pixels = 0;                ///< rows of the tile: outputs that share the weights
  int vectors = 0;               ///< vectors of output channels
  double cycles_per_step = 0;    ///< one reduction step
  double cycles_per_call = 0;    ///< entering the loop, clearing and storing the tile
  double cycles_per_resume = 0;  ///< loading the tile from the output instead of clearing it

  bool operator==(const KernelRate&) const = default;
};

/// A microkernel as unrolled loops around one vector of output channels, [U(s,s), U(r,r), U(c,c),
/// U(w,w), U(h,h), U(k,k), V(k)], where k counts vectors.
struct KernelForm {
  int w = 1, h = 1, k = 1;  ///< outputs held in registers
  int r = 1, s = 1, c = 1;  ///< reduction steps of one block

  auto operator<=>(const KernelForm&) const = default;
};

/// The measured rate of one form, as in KernelRate. One step is one of the r * s * c of a block.
struct FormRate {
  KernelForm form = {};
  double cycles_per_step = 0;
  double cycles_per_call = 0;

  bool operator==(const FormRate&) const = default;
};

/// Registers of half the width of Machine::vector, on cores that multiply and add as fast with
/// them. They waste less where channels or pixels do not fill the wide registers.
struct NarrowUnit {
  VectorUnit vector = {};
  std::vector<KernelRate> kernels = {};  ///< as Machine::kernels

  bool operator==(const NarrowUnit&) const = default;
};

struct ClockRates {
  double nominal_hertz = 0;  ///< clock that the host reports, often the base clock; 0: unknown
  double hertz = 0;          ///< clock that the rates are expressed in: measured, else nominal

  bool operator==(const ClockRates&) const = default;
};

/// The numbers that a calibration measures besides caches and clock.
struct MeasuredRates {
  double overlap_exponent = 4;  ///< rho of eq. (T): 1 = no overlap, large = roofline
  int prefetch_steps = 0;       ///< reduction steps that weights are prefetched ahead; 0: not
  std::vector<KernelRate> kernels = {};  ///< empty: the throughput bound of the vector unit is used
  /// All forms that a full calibration measured, sorted. The model needs only `kernels`, so
  /// detect_machine leaves this empty; load_machine reads it.
  std::vector<FormRate> family = {};

  bool operator==(const MeasuredRates&) const = default;
};

struct Provenance {
  std::string calibrated = {};          ///< when and how; empty: never measured, defaults only
  std::string source = {};              ///< of the name, cores and nominal clock
  std::vector<std::string> notes = {};  ///< e.g. what detection could not find out

  bool operator==(const Provenance&) const = default;
};

/// A machine that plan() can plan for. load_machine() and plan() throw Error with the field, its
/// value and the rule unless
///   - `lanes` fill a register of the ISA, and there are 4 to 32 registers;
///   - caches are called L1, L2 and so on, hold at most 1 TiB, and are no smaller than the one
///     before them unless they are victim caches;
///   - cache lines are powers of two from 8 to 4096 bytes;
///   - rates are positive and finite.
struct Machine {
  std::string name = {};
  CpuSignature cpu = {};
  int cores = 1;
  ClockRates clock = {};
  VectorUnit vector = {};
  std::optional<NarrowUnit> narrow = {};  ///< absent where wide registers do at least as well
  std::vector<CacheLevel> caches = {};    ///< innermost first
  MeasuredRates rates = {};
  Provenance provenance = {};

  bool operator==(const Machine&) const = default;
};

/// Returns the peak of one core in flop/s: 2 * lanes * fma_units * hertz.
double peak_flops(const Machine& machine);

/// Returns `machine`, whose file describes f32, as kernels over elements of `type` see it: with as
/// many lanes as elements fit in a vector, and the peak that follows. Rates per step stay the same,
/// because FMA units and ports take as long for a vector of doubles as for one of floats
/// (uops.info: vfmadd231ps and vfmadd231pd have equal latency and throughput on every x86 core).
Machine machine_for(Machine machine, ElementType type);

/// Returns `machine` with its narrow unit as its only vector unit. Requires: it has one.
Machine with_narrow_unit(Machine machine);

/// Returns this host without measuring anything. cpuid, sysfs and hwloc describe its parts. The
/// rates are those of the calibration in the user's cache directory if it belongs to this host, and
/// defaults of the microarchitecture otherwise. `notes` says which were taken and why, and where
/// the sources disagree. Throws Error when the host lacks AVX2 or FMA.
Machine detect_machine();

/// Returns nothing if `machine` is this host. Otherwise returns the reason why kernels for it
/// cannot run here or its rates do not apply: another cpuid signature, an ISA that this host lacks,
/// a nominal clock (hence a peak) that differs by more than 5 %, or a host that nothing can be
/// planned for. Never throws.
std::optional<std::string> host_mismatch(const Machine& machine);

/// Returns the shipped machine of that name ("xeon-gold-6130"), or else the machine file at that
/// path. A path with a folder, such as "./xeon-gold-6130", is always a file. Throws Error with the
/// file, the field and the rule.
Machine load_machine(const std::string& path_or_name);

/// Writes `machine` as JSON. The file is replaced as a whole or not at all; missing folders are
/// made. Requires: load_machine() accepts it. Throws Error.
void save_machine(const Machine& machine, const std::string& path);

/// Returns the names of the shipped machines, sorted.
std::vector<std::string> shipped_machines();

/// Returns the file in which the verb `calibrate` keeps this user's measurements:
/// tileplan/machine.json under XDG_CACHE_HOME, or else under HOME/.cache. Throws Error when neither
/// is an absolute path.
std::string machine_cache_path();

}  // namespace tileplan
