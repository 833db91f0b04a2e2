// SPDX-License-Identifier: Apache-2.0
// This file checks the fields of a machine one after another. An error names the first invalid
// field.
#include "machine_rules.h"

#include <cmath>
#include <limits>

#include "overhead_names.h"
#include "tileplan/error.h"

namespace tileplan {
namespace {

constexpr std::int64_t kMostInt = std::numeric_limits<int>::max();
/// Limits the usable share of a cache. The share of a victim cache may exceed 1, because inner
/// caches hold other lines.
constexpr int kMostUsable = 2;
/// These numbers limit the registers of a vector unit. Every ISA has at most 32, and a register
/// tile needs some for the sums, the weights and the input.
constexpr int kMostRegisters = 32, kFewestRegisters = 4;
/// These numbers limit the bytes of a cache line, which holds whole elements of any type and is not
/// longer than a page.
constexpr int kShortestLine = 8, kLongestLine = 4096;
/// Real caches are smaller than 1 TiB, and sums of element counts do not overflow up to this limit.
constexpr std::int64_t kLargestCache = std::int64_t{1} << 40;
/// Limits the sets of the innermost cache, because models/conflicts.h visits each set.
constexpr std::int64_t kMostSets = std::int64_t{1} << 20;

/// Returns the size in bytes of a vector register, or of a row of an AMX tile. Returns 0 for an
/// unknown instruction set.
int vector_bytes(Isa isa) {
  if (isa == Isa::avx512 || isa == Isa::amx) return 64;
  if (isa == Isa::avx512vl || isa == Isa::avx2) return 32;
  return isa == Isa::neon ? 16 : 0;
}

/// Throws errors with the path of a JSON object in the file `origin`.
struct FieldPath {
  std::string origin, path = {};

  FieldPath in(const std::string& name) const { return {origin, path + name + "."}; }
  [[noreturn]] void refuse(const char* field, const std::string& value,
                           const std::string& rule) const {
    throw Error(origin + ": " + path + field + " is " + value + "; must be " + rule);
  }
  void require_between(const char* field, std::int64_t value, std::int64_t least,
                       std::int64_t most = kMostInt) const {
    if (value < least || value > most)
      refuse(field, std::to_string(value),
             "a whole number from " + std::to_string(least) + " to " + std::to_string(most));
  }
  void require_positive(const char* field, double value) const {
    if (!(value > 0 && std::isfinite(value)))
      refuse(field, std::to_string(value), "a number greater than 0");
  }
  void require_at_least(const char* field, double value, int least) const {
    if (!(value >= least && std::isfinite(value)))
      refuse(field, std::to_string(value), "a number of at least " + std::to_string(least));
  }
};

std::string nth(const char* list, std::size_t index) {
  return std::string(list) + "[" + std::to_string(index) + "]";
}

void check_unit(const VectorUnit& unit, const FieldPath& place) {
  const int bytes = vector_bytes(unit.isa);
  if (bytes == 0) place.refuse("isa", to_string(unit.isa), "avx2, avx512, avx512vl, neon or amx");
  if (unit.element != ElementType::f32 && unit.element != ElementType::f64 &&
      unit.element != ElementType::s32)
    place.refuse("element", std::to_string(static_cast<int>(unit.element)), "f32, f64 or s32");
  const bool scalar = unit.lanes == 1;  // The command `emit` plans C without vectors with one lane.
  if (!scalar && unit.lanes * bytes_of(unit.element) != bytes)
    place.refuse("lanes", std::to_string(unit.lanes),
                 std::to_string(bytes / bytes_of(unit.element)) + ", the elements of " +
                     to_string(unit.element) + " in a register of " + to_string(unit.isa));
  place.require_between("registers", unit.registers, kFewestRegisters, kMostRegisters);
  place.require_between("fma_units", unit.fma_units, 1);
  place.require_between("load_ports", unit.load_ports, 1);
  place.require_between("store_ports", unit.store_ports, 1);
  place.require_between("issue_width", unit.issue_width, 1);
  place.require_positive("fma_latency", unit.fma_latency);
}

void check_tiles(const Machine& machine, const FieldPath& place) {
  constexpr std::int64_t kStripBytes = 64;  // AMX tiles multiply strips of at most as many bytes.
  check_unit(*machine.tiles, place);
  for (const CacheLevel& cache : machine.caches)
    if (cache.line_bytes < kStripBytes)
      place.refuse("isa", "amx", "beside caches whose lines have 64 bytes or more");
  if (machine.tiles->isa != Isa::amx) place.refuse("isa", to_string(machine.tiles->isa), "amx");
  if (machine.vector.isa != Isa::avx512)
    place.refuse("isa", "amx", "beside vectors of avx512, which store the sums of tiles");
}

void check_cache(const CacheLevel& cache, const FieldPath& place) {
  const std::int64_t line = cache.line_bytes;
  if (line < kShortestLine || line > kLongestLine || (line & (line - 1)) != 0)
    place.refuse("line_bytes", std::to_string(line),
                 "a power of two from " + std::to_string(kShortestLine) + " to " +
                     std::to_string(kLongestLine));
  place.require_between("ways", cache.ways, 1);
  place.require_between("capacity_bytes", cache.capacity_bytes, 1, kLargestCache);
  const std::int64_t least = cache.line_bytes * cache.ways;
  if (cache.capacity_bytes < least)
    place.refuse("capacity_bytes", std::to_string(cache.capacity_bytes),
                 "at least line_bytes * ways = " + std::to_string(least));
  place.require_between("shared_by_cores", cache.shared_by_cores, 1);
  place.require_positive("usable", cache.usable);
  if (cache.usable > kMostUsable)
    place.refuse("usable", std::to_string(cache.usable),
                 "a share of the capacity, at most " + std::to_string(kMostUsable));
  place.require_positive("fill_bytes_per_second", cache.fill_bytes_per_second);
  place.require_at_least("write_bytes_per_second", cache.write_bytes_per_second, 0);
  place.require_at_least("conflict_bytes_per_second", cache.conflict_bytes_per_second, 0);
}

void check_sets(const CacheLevel& innermost, const FieldPath& place) {
  const std::int64_t most = kMostSets * innermost.line_bytes * innermost.ways;
  if (innermost.capacity_bytes > most)
    place.refuse("capacity_bytes", std::to_string(innermost.capacity_bytes),
                 "at most 2^20 sets of line_bytes * ways, " + std::to_string(most));
}

/// Throws Error when there is no cache, when a field of a cache is invalid, or when a cache is
/// smaller than the next inner one. Only a victim cache may be smaller, because it holds only cache
/// lines that the inner cache evicted.
void check_caches(const std::vector<CacheLevel>& caches, const FieldPath& place) {
  if (caches.empty()) place.refuse("caches", "a list of 0", "a list of at least one");
  for (std::size_t i = 0; i < caches.size(); ++i) {
    const FieldPath at = place.in(nth("caches", i));
    if (caches[i].name != cache_name(i + 1))
      at.refuse("name", '"' + caches[i].name + '"', '"' + cache_name(i + 1) + '"');
    check_cache(caches[i], at);
    if (i == 0) check_sets(caches[i], at);
    if (i == 0 || caches[i].victim) continue;
    const std::int64_t inner = caches[i - 1].capacity_bytes;
    if (caches[i].capacity_bytes < inner)
      at.refuse("capacity_bytes", std::to_string(caches[i].capacity_bytes),
                "at least that of the cache before it, " + std::to_string(inner) +
                    ", or of a victim cache");
  }
}

void check_kernels(const std::vector<KernelRate>& kernels, const char* list,
                   const FieldPath& place) {
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    const FieldPath at = place.in(nth(list, i));
    at.require_between("pixels", kernels[i].pixels, 1);
    at.require_between("vectors", kernels[i].vectors, 1);
    at.require_positive("cycles_per_step", kernels[i].cycles_per_step);
    at.require_at_least("cycles_per_call", kernels[i].cycles_per_call, 0);
    at.require_at_least("cycles_per_resume", kernels[i].cycles_per_resume, 0);
    const double most = kernels[i].cycles_per_call + kShortCallSteps * kernels[i].cycles_per_step;
    const double short_call = kernels[i].cycles_per_short_call.value_or(0);
    if (!(short_call >= 0 && short_call <= most))
      at.refuse("cycles_per_short_call", std::to_string(short_call),
                "a number from 0 to " + std::to_string(most) + ", the cycles of " +
                    std::to_string(kShortCallSteps) + " steps");
  }
}

void check_overheads(Overheads overheads, const FieldPath& place) {
  for (const NamedOverhead& each : kOverheads)
    place.require_at_least(each.name, each.of(overheads), 0);
  // Bounds assume that no cache line arrives faster than lines in long rows do.
  place.require_at_least("short_rows_from_second_level", overheads.short_rows.from_second_level, 1);
  place.require_at_least("short_rows_from_cache", overheads.short_rows.from_cache, 1);
  place.require_at_least("short_rows_from_memory", overheads.short_rows.from_memory, 1);
}

}  // namespace

std::string cache_name(std::size_t level) { return std::string("L").append(std::to_string(level)); }

void check_machine(const Machine& machine, const std::string& origin) {
  const FieldPath place{origin};
  place.require_between("cores", machine.cores, 1);
  place.require_at_least("nominal_hertz", machine.clock.nominal_hertz, 0);
  place.require_positive("hertz", machine.clock.hertz);
  check_unit(machine.vector, place.in("vector"));
  if (machine.vector.isa == Isa::amx)
    place.in("vector").refuse("isa", "amx", "avx2, avx512, avx512vl or neon, beside tiles of amx");
  if (machine.tiles) check_tiles(machine, place.in("tiles"));
  check_caches(machine.caches, place);
  place.require_at_least("overlap_exponent", machine.rates.overlap_exponent, 1);
  // Tiles of one vector prefetch twice as many steps early, and kernels prefetch at most 1024 steps
  // early.
  constexpr int kMostPrefetchSteps = 512;
  place.require_between("prefetch_steps", machine.rates.prefetch_steps, 0, kMostPrefetchSteps);
  place.require_between("near_prefetch_steps", machine.rates.near_prefetch_steps.value_or(0), 0,
                        kMostPrefetchSteps);
  place.require_at_least("streamed_bytes_per_second", machine.rates.streamed_bytes_per_second, 0);
  place.require_at_least("joint_bytes_per_second", machine.rates.joint_bytes_per_second, 0);
  check_overheads(machine.rates.overheads, place.in("overheads"));
  place.require_between("protocol", machine.provenance.protocol, 0);
  check_kernels(machine.rates.kernels, "kernels", place);
  for (std::size_t i = 0; i < machine.rates.others.size(); ++i) {
    const FieldPath at = place.in(nth("other_kernels", i));
    at.require_positive("steps_per_cycle", machine.rates.others[i].steps_per_cycle);
    check_kernels(machine.rates.others[i].kernels, "kernels", at);
  }
  if (!machine.narrow) return;
  const VectorUnit& narrow = machine.narrow->vector;
  check_unit(narrow, place.in("narrow"));
  if (2 * narrow.lanes != machine.vector.lanes)
    place.in("narrow").refuse(
        "lanes", std::to_string(narrow.lanes),
        "half of those of vector, " + std::to_string(machine.vector.lanes / 2));
  check_kernels(machine.narrow->kernels, "narrow_kernels", place);
}

}  // namespace tileplan
