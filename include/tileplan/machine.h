// SPDX-License-Identifier: Apache-2.0
// A machine describes caches, a vector unit and the measured rates of microkernels.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tileplan/arithmetic.h"
#include "tileplan/element.h"
#include "tileplan/isa.h"
#include "tileplan/rates.h"
#include "tileplan/visibility.h"

namespace TILEPLAN_PUBLIC tileplan {

/// Identifies the CPU by cpuid. `vendor` is empty for machines without cpuid (AArch64).
struct CpuSignature {
  std::string vendor = {};  ///< Names the vendor, such as "GenuineIntel".
  int family = 0, model = 0, stepping = 0;

  bool operator==(const CpuSignature&) const = default;
};

/// Describes one cache. The rates are those of one core on the link to the next level, or to memory
/// for the last level.
struct CacheLevel {
  std::string name = {};  ///< Names the level: "L1", "L2" and so on.
  std::int64_t capacity_bytes = 0;
  std::int64_t line_bytes = 64;
  int ways = 8;
  int shared_by_cores = 1;
  /// If true, the cache holds the cache lines that the previous level evicted.
  bool victim = false;
  /// If true, a hash of many bits of an address selects its set, so that lines at equal distances
  /// do not share few sets. The model ignores this field for the first cache.
  bool hashed = false;
  /// Gives the share of the capacity that the model uses, phi in eq. (C).
  double usable = 1.0;
  double fill_bytes_per_second = 0;
  /// Gives the rate of stores, which includes reading each cache line for ownership before it is
  /// written back. With 0, stores are as fast as `fill_bytes_per_second`.
  double write_bytes_per_second = 0;
  /// Gives the rate of stores whose cache lines all share one set of the innermost cache. With 0,
  /// such conflicts cost nothing.
  double conflict_bytes_per_second = 0;
  std::string source = {};  ///< Names the source of the sizes and of `victim`.
  /// Tells how the bandwidths, `usable` and `hashed` were measured, or that they are defaults.
  std::string rate_source = {};

  bool operator==(const CacheLevel&) const = default;
};

/// Describes the vector unit of one core (models/README.md eq. (K)).
struct VectorUnit {
  Isa isa = Isa::avx512;
  int lanes = 16;                          ///< Counts the sums in a register; scalar code has 1.
  ElementType element = ElementType::f32;  ///< Names the type of the sums.
  /// Names how the unit multiplies; machine_for() sets it.
  Arithmetic arithmetic = Arithmetic::fma;
  DotProducts dots = {};
  int registers = 32;
  int fma_units = 2;
  int load_ports = 2;      ///< Counts the loads that a core can start per cycle.
  int store_ports = 1;     ///< Counts the stores that a core can start per cycle.
  int issue_width = 4;     ///< Counts the fused micro-operations that a core can issue per cycle.
  double fma_latency = 4;  ///< Gives the cycles of one multiply-add.
  std::string source = {};

  bool operator==(const VectorUnit&) const = default;
};

/// Describes vector registers of half the width of Machine::vector, on cores whose multiply-add
/// throughput is the same for both widths. Narrow registers waste fewer lanes when channels or
/// pixels do not fill the wide registers.
struct NarrowUnit {
  VectorUnit vector = {};
  std::vector<KernelRate> kernels = {};

  bool operator==(const NarrowUnit&) const = default;
};

struct ClockRates {
  double nominal_hertz = 0;  ///< Gives the clock that the host reports, or 0 when it is unknown.
  /// Gives the clock to which cycle counts refer: the measured clock, or else the nominal one, or
  /// else a default.
  double hertz = 0;

  bool operator==(const ClockRates&) const = default;
};

struct Provenance {
  /// Gives the kind, the date and the method of the calibration, or is empty.
  std::string calibrated = {};
  /// Holds the value of kProtocol (calibrate.h) when the machine was calibrated. 0 stands for the
  /// oldest protocol, or for no calibration.
  int protocol = 0;
  /// Names the sources of `name`, `cores` and the nominal clock.
  std::string source = {};
  /// Lists remarks on detection and calibration, such as sources that disagree.
  std::vector<std::string> notes = {};
  /// Tells why the calibration of this host is not used, or is empty.
  std::string refusal = {};

  bool operator==(const Provenance&) const = default;
};

/// Describes a machine that plan() can plan for. load_machine() and plan() throw Error with the
/// field, its value and the rule when a field breaks one. The most important rules are:
///   - `lanes` fill a register of the ISA or are 1 (scalar code), and there are 4 to 32 registers;
///   - caches are called L1, L2 and so on, innermost first, hold at most 1 TiB, and are no smaller
///     than the previous one unless they are victim caches;
///   - cache lines are powers of two from 8 to 4096 bytes;
///   - rates are finite, and positive unless 0 has a meaning of its own.
struct Machine {
  std::string name = {};
  CpuSignature cpu = {};
  int cores = 1;
  ClockRates clock = {};
  VectorUnit vector = {};
  /// There is none when the CPU lacks narrow vectors or they are slower.
  std::optional<NarrowUnit> narrow = {};
  /// Describes AMX, which multiplies tiles. MeasuredRates::others has its measured rates.
  std::optional<VectorUnit> tiles = {};
  std::vector<CacheLevel> caches = {};  ///< The innermost cache is first.
  MeasuredRates rates = {};
  Provenance provenance = {};

  bool operator==(const Machine&) const = default;
};

/// Returns the peak of one core in operations per second: 2 * lanes * products_per_lane() * hertz
/// times ArithmeticRates::steps_per_cycle if it is known, or else times fma_units, or half of these
/// where a multiply-add takes two instructions. Returns the peak of tiles, or of multiply-adds of
/// widened bf16, if it is higher.
double peak_flops(const Machine& machine);

/// Returns `machine`, whose rates are for f32, adapted to problems of `types`: `lanes` sums of the
/// type accumulator_of(types) fill a vector, except that scalar units keep one lane, and the peak
/// changes accordingly. Cycles per step stay the same, because FMA units and ports take as long for
/// a vector of doubles as for one of floats (uops.info: vfmadd231ps and vfmadd231pd have equal
/// latency and throughput on every x86 core). The vector unit gets the arithmetic that this machine
/// uses for the types. If tiles cannot multiply the types, their arithmetic becomes fma, which
/// marks them as unusable. Throws Error as accumulator_of() does.
Machine machine_for(Machine machine, const TensorTypes& types);

/// Returns `machine` with its narrow unit as Machine::vector. Rates that were measured with the
/// wide vectors are removed. Requires a narrow unit.
Machine with_narrow_unit(Machine machine);

/// Returns `machine` with its tiles as Machine::vector and without a narrow unit. Rates that were
/// measured with vectors of f32 are removed, and weights are prefetched at most one step early.
/// Requires tiles.
Machine with_tile_unit(Machine machine);

/// Returns `machine` with vectors that multiply bf16 by vfmadd instead of vdpbf16ps.
Machine with_widened_bf16(Machine machine);

/// Returns true when `unit` multiplies bf16 by vdpbf16ps, but could widen bf16 instead. Units of
/// NEON never widen bf16.
bool may_widen(const VectorUnit& unit);

/// Returns a description of this host without measuring anything. cpuid, sysfs and hwloc supply its
/// properties. The rates are those of the calibration in the user's cache directory if it describes
/// a host with this CPU, nominal clock, ISA and caches, and defaults of the microarchitecture
/// otherwise. Machine::provenance tells which rates were used and, for defaults, where the sources
/// disagree. Throws Error when the host lacks AVX2 or FMA.
Machine detect_machine();

/// Returns nothing if kernels for `machine` run on this host and its rates apply. Otherwise returns
/// the reason: another cpuid signature, an ISA or AMX that this host lacks, a nominal clock (hence
/// a peak) that differs by more than 5 %, or a host that detect_machine() refuses. Never throws.
std::optional<std::string> host_mismatch(const Machine& machine);

/// Returns the shipped machine called `path_or_name`, such as "xeon-gold-6130", or else the machine
/// in the file at that path. A text with a slash, such as "./xeon-gold-6130", is always a path.
/// Throws Error with the file, the field and the rule.
Machine load_machine(const std::string& path_or_name);

/// Writes `machine` as JSON. The file is replaced atomically, and missing folders are created.
/// Throws Error when load_machine() would refuse `machine`, or when the file cannot be written.
void save_machine(const Machine& machine, const std::string& path);

/// Returns `machine` as the JSON text that save_machine() writes. Requires that load_machine()
/// accepts it.
std::string to_json(const Machine& machine);

/// Returns the names of the shipped machines, sorted.
std::vector<std::string> shipped_machines();

/// Returns the path of the file in which `tileplan calibrate` stores this user's measurements:
/// tileplan/machine.json under XDG_CACHE_HOME, or else under HOME/.cache. Throws Error when neither
/// variable is an absolute path.
std::string machine_cache_path();

}  // namespace tileplan
