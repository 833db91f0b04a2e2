// SPDX-License-Identifier: Apache-2.0
// This file executes the instructions cpuid and xgetbv, decodes their results, and asks Linux for
// the permission to use AMX.
#include "host_cpu.h"

#include <cstring>

#include "words.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif
#if defined(__linux__)
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace tileplan {
namespace {

// Intel SDM volume 2, CPUID, and AMD64 APM volume 3, appendix E, list the leaves and bits.
constexpr std::uint32_t kExtended = 0x80000000;
constexpr std::uint32_t kBrandFirst = 0x80000002, kBrandLast = 0x80000004;
constexpr std::uint32_t kIntelCaches = 4, kAmdCaches = 0x8000001d;
constexpr std::uint32_t kFrequencies = 0x16;

constexpr bool bit(std::uint64_t word, int index) { return ((word >> index) & 1) != 0; }

constexpr std::uint32_t bits(std::uint32_t word, int first, int count) {
  return (word >> first) & ((1U << count) - 1);
}

}  // namespace

CpuSignature decode_signature(const std::string& vendor, std::uint32_t eax) {
  CpuSignature result{vendor, static_cast<int>(bits(eax, 8, 4)), static_cast<int>(bits(eax, 4, 4)),
                      static_cast<int>(bits(eax, 0, 4))};
  constexpr int kIntel = 6, kExtendedFamily = 15;
  if (result.family == kIntel || result.family == kExtendedFamily)
    result.model += static_cast<int>(bits(eax, 16, 4) << 4);
  if (result.family == kExtendedFamily) result.family += static_cast<int>(bits(eax, 20, 8));
  return result;
}

CacheGeometry decode_cache(const CpuidLeaf& leaf) {
  constexpr std::uint32_t kData = 1, kUnified = 3;
  const std::uint32_t type = bits(leaf.eax, 0, 5);
  if (type != kData && type != kUnified) return {};
  CacheGeometry cache{.level = static_cast<int>(bits(leaf.eax, 5, 3)),
                      .line_bytes = static_cast<int>(bits(leaf.ebx, 0, 12)) + 1,
                      .ways = static_cast<int>(bits(leaf.ebx, 22, 10)) + 1};
  const std::int64_t partitions = bits(leaf.ebx, 12, 10) + 1;
  const std::int64_t sets = static_cast<std::int64_t>(leaf.ecx) + 1;
  cache.capacity_bytes = cache.ways * partitions * cache.line_bytes * sets;
  return cache;
}

#if defined(__x86_64__)
namespace {

/// Returns the registers after CPUID, or zeros when the processor lacks the leaf.
CpuidLeaf cpuid(std::uint32_t leaf, std::uint32_t subleaf = 0) {
  CpuidLeaf result;
  __get_cpuid_count(leaf, subleaf, &result.eax, &result.ebx, &result.ecx, &result.edx);
  return result;
}

// Returns the register states that the operating system saves (XCR0). Requires that the processor
// has xgetbv. The intrinsic for xgetbv would require -mxsave for the whole file.
std::uint64_t saved_state() {
  std::uint32_t low = 0, high = 0;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return (static_cast<std::uint64_t>(high) << 32) | low;
}

void append(std::string& text, std::uint32_t word) {
  char bytes[sizeof word];
  std::memcpy(bytes, &word, sizeof word);
  text.append(bytes, sizeof word);
}

std::string vendor() {
  const CpuidLeaf leaf = cpuid(0);
  std::string text;
  for (const std::uint32_t word : {leaf.ebx, leaf.edx, leaf.ecx}) append(text, word);
  return text;
}

std::string brand() {
  std::string text;
  if (cpuid(kExtended).eax < kBrandLast) return text;
  for (std::uint32_t number = kBrandFirst; number <= kBrandLast; ++number) {
    const CpuidLeaf leaf = cpuid(number);
    for (const std::uint32_t word : {leaf.eax, leaf.ebx, leaf.ecx, leaf.edx}) append(text, word);
  }
  return std::string(trimmed(text.substr(0, text.find('\0'))));
}

void read_isa(HostCpu& cpu) {
  const CpuidLeaf basic = cpuid(1);
  const CpuidLeaf structured = cpuid(7);
  // This bit (OSXSAVE) tells whether xgetbv exists; otherwise the instruction faults.
  const bool xsave = bit(basic.ecx, 27);
  const std::uint64_t state = xsave ? saved_state() : 0;
  // kYmm has the bits of the xmm and ymm registers in XCR0. kZmm adds the bits of the mask
  // registers and of both parts of the zmm registers.
  constexpr std::uint64_t kYmm = 0x06, kZmm = 0xe6;
  const bool fma = bit(basic.ecx, 12), avx2 = bit(structured.ebx, 5);
  cpu.avx2 = fma && avx2 && (state & kYmm) == kYmm;
  const bool all = bit(structured.ebx, 16) && bit(structured.ebx, 17) && bit(structured.ebx, 30) &&
                   bit(structured.ebx, 31);  // The bits are AVX-512 F, DQ, BW and VL.
  cpu.avx512 = cpu.avx2 && all && (state & kZmm) == kZmm;
  // Bit 11 of ecx is AVX512_VNNI. Bit 5 of eax of the next subleaf is AVX512_BF16.
  cpu.dots = {.integers = cpu.avx512 && bit(structured.ecx, 11),
              .bf16 = cpu.avx512 && bit(cpuid(7, 1).eax, 5)};
  // Bits 24, 25 and 22 of edx are AMX-TILE, AMX-INT8 and AMX-BF16.
  if (cpu.avx512 && bit(structured.edx, 24)) {
    cpu.tiles_refused = !has_tile_permission();
    if (!cpu.tiles_refused)
      cpu.tiles = {.integers = bit(structured.edx, 25), .bf16 = bit(structured.edx, 22)};
  }
  cpu.virtual_machine = bit(basic.ecx, 31);
}

std::vector<CacheGeometry> read_caches() {
  constexpr std::uint32_t kAmdTopology = 0x80000001, kMostCaches = 8;
  const std::uint32_t leaf = bit(cpuid(kAmdTopology).ecx, 22) ? kAmdCaches : kIntelCaches;
  std::vector<CacheGeometry> caches;
  for (std::uint32_t index = 0; index < kMostCaches; ++index) {
    const CpuidLeaf registers = cpuid(leaf, index);
    if (bits(registers.eax, 0, 5) == 0) break;
    const CacheGeometry cache = decode_cache(registers);
    if (cache.level > 0) caches.push_back(cache);
  }
  return caches;
}

}  // namespace

#if defined(__linux__)
bool has_tile_permission() {
  // AMX keeps its tiles in XSAVE component 18 and their configuration in component 17. Linux must
  // have enabled both in XCR0, and grants component 18 to a process only on request
  // (Documentation/arch/x86/xstate.rst).
  constexpr long kRequestPermission = 0x1023, kTileData = 18;
  constexpr std::uint64_t kTileStates = 0x60000;
  static const bool permitted = [] {
    if (!bit(cpuid(1).ecx, 27) || (saved_state() & kTileStates) != kTileStates) return false;
    return syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
  }();
  return permitted;
}
#else
bool has_tile_permission() { return false; }
#endif

HostCpu read_cpu() {
  HostCpu cpu{.signature = decode_signature(vendor(), cpuid(1).eax), .brand = brand()};
  read_isa(cpu);
  cpu.base_hertz = bits(cpuid(kFrequencies).eax, 0, 16) * kHertzPerMegahertz;
  cpu.caches = read_caches();
  return cpu;
}
#else
bool has_tile_permission() { return false; }
HostCpu read_cpu() { return {}; }
#endif

}  // namespace tileplan
