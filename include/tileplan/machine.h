// SPDX-License-Identifier: Apache-2.0
// A machine is data: its caches, its vector unit and the measured rates of its microkernels.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tileplan/element.h"
#include "tileplan/isa.h"
#include "tileplan/visibility.h"

namespace TILEPLAN_PUBLIC tileplan {

/// Identifies the CPU by cpuid. `vendor` is empty for machines without cpuid (AArch64).
struct CpuSignature {
  std::string vendor = {};  ///< An example is "GenuineIntel".
  int family = 0, model = 0, stepping = 0;

  bool operator==(const CpuSignature&) const = default;
};

/// Describes one cache. The bandwidths are for one core, on the link that fills this level from the
/// next one, or from memory for the last level.
struct CacheLevel {
  std::string name = {};  ///< The names are "L1", "L2" and so on.
  std::int64_t capacity_bytes = 0;
  std::int64_t line_bytes = 64;
  int ways = 8;
  int shared_by_cores = 1;
  bool victim = false;  ///< The cache holds the cache lines that the previous level evicted.
  double usable = 1.0;  ///< The model plans with this share of the capacity (phi).
  double fill_bytes_per_second = 0;
  double write_bytes_per_second = 0;  ///< With 0, writing is as fast as filling.
  std::string source = {};            ///< This text tells where sizes and `victim` come from.
  std::string rate_source = {};       ///< This text tells where the measured numbers come from.

  bool operator==(const CacheLevel&) const = default;
};

/// Describes the vector unit of one core (models/README.md eq. (K)).
struct VectorUnit {
  Isa isa = Isa::avx512;
  int lanes = 16;  ///< A register holds this many elements; scalar code has 1.
  ElementType element = ElementType::f32;
  int registers = 32;
  int fma_units = 2;
  int load_ports = 2;      ///< loads per cycle
  int store_ports = 1;     ///< stores per cycle
  int issue_width = 4;     ///< fused micro-operations per cycle
  double fma_latency = 4;  ///< cycles
  std::string source = {};

  bool operator==(const VectorUnit&) const = default;
};

/// Holds the measured speed of a register tile. A call of n reduction steps takes cycles_per_call +
/// n * cycles_per_step cycles. Continuing a split reduction takes cycles_per_resume more.
struct KernelRate {
  int pixels = 0;   ///< The tile has this many outputs per output channel.
  int vectors = 0;  ///< The tile spans this many vectors of output channels.
  double cycles_per_step = 0;
  double cycles_per_call = 0;    ///< A call clears the tile, enters the loop and stores the tile.
  double cycles_per_resume = 0;  ///< A resumed tile is loaded from the output instead of cleared.

  bool operator==(const KernelRate&) const = default;
};

/// Describes a microkernel as loops, all unrolled, around one vector of output channels: [U(s,s),
/// U(r,r), U(c,c), U(w,w), U(h,h), U(k,k), V(k)]. Here k counts vectors.
struct KernelForm {
  int w = 1, h = 1, k = 1;  ///< w * h * k vectors of outputs stay in registers.
  int r = 1, s = 1, c = 1;  ///< r * s * c reduction steps form one unrolled block.

  auto operator<=>(const KernelForm&) const = default;
};

/// Holds the measured speed of one form, as in KernelRate.
struct FormRate {
  KernelForm form = {};
  double cycles_per_step = 0;
  double cycles_per_call = 0;

  bool operator==(const FormRate&) const = default;
};

/// Describes vector registers of half the width of Machine::vector, on cores with the same
/// multiply-add throughput for both widths. Narrow registers waste less when channels or pixels do
/// not fill the wide ones.
struct NarrowUnit {
  VectorUnit vector = {};
  std::vector<KernelRate> kernels = {};

  bool operator==(const NarrowUnit&) const = default;
};

struct ClockRates {
  double nominal_hertz = 0;  ///< The host reports this clock, or the value is 0.
  double hertz = 0;          ///< The cycle counts refer to this clock, measured or nominal.

  bool operator==(const ClockRates&) const = default;
};

/// Holds the numbers that a calibration measures besides caches and clock.
struct MeasuredRates {
  double overlap_exponent = 4;  ///< This is rho of eq. (T); 1 means no overlap.
  int prefetch_steps = 0;       ///< Weights are prefetched this many reduction steps early.
  std::vector<KernelRate> kernels = {};  ///< Without entries, the model uses a throughput bound.
  /// A full calibration measures all of these, sorted. The model needs only `kernels`, so
  /// detect_machine() leaves this empty, but load_machine() reads it.
  std::vector<FormRate> family = {};

  bool operator==(const MeasuredRates&) const = default;
};

struct Provenance {
  std::string calibrated = {};  ///< This text tells when and how, and is empty for defaults.
  std::string source = {};      ///< This text tells where name, cores and nominal clock come from.
  std::vector<std::string> notes = {};  ///< These texts name what detection could not find out.

  bool operator==(const Provenance&) const = default;
};

/// Describes a machine that plan() can plan for. load_machine() and plan() throw Error with the
/// field, its value and the rule unless
///   - `lanes` fill a register of the ISA, and there are 4 to 32 registers;
///   - caches are called L1, L2 and so on, innermost first, hold at most 1 TiB, and are no smaller
///     than the previous one unless they are victim caches;
///   - cache lines are powers of two from 8 to 4096 bytes;
///   - rates are positive and finite.
struct Machine {
  std::string name = {};
  CpuSignature cpu = {};
  int cores = 1;
  ClockRates clock = {};
  VectorUnit vector = {};
  std::optional<NarrowUnit> narrow = {};  ///< This is empty when narrow vectors are slower.
  std::vector<CacheLevel> caches = {};    ///< The innermost cache is first.
  MeasuredRates rates = {};
  Provenance provenance = {};

  bool operator==(const Machine&) const = default;
};

/// Returns the peak of one core in flop/s: 2 * lanes * fma_units * hertz.
double peak_flops(const Machine& machine);

/// Returns `machine`, whose rates are for f32, adapted to elements of `type`: `lanes` elements of
/// `type` fill a vector, and the peak follows. Cycles per step stay the same, because FMA units and
/// ports take as long for a vector of doubles as for one of floats (uops.info: vfmadd231ps and
/// vfmadd231pd have equal latency and throughput on every x86 core).
Machine machine_for(Machine machine, ElementType type);

/// Returns `machine` with its narrow unit as its only vector unit. Requires a narrow unit.
Machine with_narrow_unit(Machine machine);

/// Returns a description of this host without measuring anything. cpuid, sysfs and hwloc supply its
/// properties. The rates are those of the calibration in the user's cache directory if that
/// calibration is of this host, and defaults of the microarchitecture otherwise. Provenance::notes
/// tells which rates were taken and why, and where the sources disagree. Throws Error when the host
/// lacks AVX2 or FMA.
Machine detect_machine();

/// Returns nothing if `machine` is this host. Otherwise returns the reason why kernels for it
/// cannot run here or its rates do not apply: another cpuid signature, an ISA that this host lacks,
/// a nominal clock (hence a peak) that differs by more than 5 %, or a host that plan() does not
/// support. Never throws.
std::optional<std::string> host_mismatch(const Machine& machine);

/// Returns the shipped machine of that name ("xeon-gold-6130"), or else the machine file at that
/// path. A path with a folder, such as "./xeon-gold-6130", is always a file. Throws Error with the
/// file, the field and the rule.
Machine load_machine(const std::string& path_or_name);

/// Writes `machine` as JSON. The file is replaced atomically, and missing folders are created.
/// Requires that load_machine() accepts `machine`. Throws Error when the file cannot be written.
void save_machine(const Machine& machine, const std::string& path);

/// Returns the machine file of `machine`, as save_machine() writes it. Requires that load_machine()
/// accepts it.
std::string to_json(const Machine& machine);

/// Returns the names of the shipped machines, sorted.
std::vector<std::string> shipped_machines();

/// Returns the file in which the verb `calibrate` keeps this user's measurements:
/// tileplan/machine.json under XDG_CACHE_HOME, or else under HOME/.cache. Throws Error when neither
/// is an absolute path.
std::string machine_cache_path();

}  // namespace tileplan
