// SPDX-License-Identifier: Apache-2.0
// These tests look up processors in the table of microarchitectures, and check that wrong tables
// are refused.
#include "microarchitecture.h"

#include <doctest/doctest.h>

#include "tileplan/error.h"

using namespace tileplan;

namespace {

std::string core_name(const CpuSignature& cpu, Isa best) {
  return core_of(cpu, best).microarchitecture.name;
}

}  // namespace

TEST_CASE("microarchitecture: signatures select their microarchitecture") {
  const auto intel = [](int model) { return CpuSignature{"GenuineIntel", 6, model, 0}; };
  const auto amd = [](int family, int model) {
    return CpuSignature{"AuthenticAMD", family, model, 0};
  };
  CHECK(core_name(intel(63), Isa::avx2) == "haswell");
  CHECK(core_name(intel(79), Isa::avx2) == "haswell");
  CHECK(core_name(intel(158), Isa::avx2) == "skylake-client");
  CHECK(core_name(intel(85), Isa::avx512) == "skylake-sp");
  CHECK(core_name(intel(106), Isa::avx512) == "ice-lake-sp");
  CHECK(core_name(intel(143), Isa::avx512) == "sapphire-rapids");
  CHECK(core_name(amd(23, 49), Isa::avx2) == "zen2");
  CHECK(core_name(amd(25, 1), Isa::avx2) == "zen3");
  CHECK(core_name(amd(25, 17), Isa::avx512) == "zen4");
  CHECK(core_name(amd(26, 2), Isa::avx512) == "zen5");
  CHECK(core_name(amd(26, 36), Isa::avx512) == "zen5-mobile");
  CHECK(core_name(amd(99, 1), Isa::avx512) == "generic-avx512");
  CHECK(core_name(amd(99, 1), Isa::avx2) == "generic-avx2");
}

TEST_CASE(
    "microarchitecture: AVX-512 that the operating system hides leaves the AVX2 unit of the same "
    "core") {
  const Core core = core_of({"GenuineIntel", 6, 85, 7}, Isa::avx2);
  CHECK(core.microarchitecture.name == "skylake-sp");
  CHECK(core.vector.isa == Isa::avx2);
  CHECK(core.vector.lanes == 8);
}

TEST_CASE(
    "microarchitecture: every microarchitecture has three caches, and sources for all numbers") {
  for (const Microarchitecture& entry : microarchitectures()) {
    CAPTURE(entry.name);
    CHECK(entry.caches.size() == 3);
    REQUIRE_FALSE(entry.vectors.empty());
    for (const VectorUnit& unit : entry.vectors) CHECK_FALSE(unit.source.empty());
    for (const CacheDefault& cache : entry.caches) CHECK_FALSE(cache.level.source.empty());
  }
}

TEST_CASE("microarchitecture: a hash selects the sets of the second cache of Zen 5 servers") {
  for (const Microarchitecture& entry : microarchitectures()) {
    CAPTURE(entry.name);
    CHECK(entry.caches[1].level.hashed == (entry.name == "zen5"));
    CHECK_FALSE(entry.caches[0].level.hashed);
  }
}

TEST_CASE(
    "microarchitecture: a wrong table of microarchitectures is refused with the field and the "
    "rule") {
  CHECK_THROWS_WITH_AS(parse_microarchitectures("{\"format\": \"x\"}", "table.json"),
                       "table.json: format is \"x\"; must be \"tileplan microarchitectures 1\"",
                       Error);
  CHECK_THROWS_WITH_AS(
      parse_microarchitectures(
          R"({"format": "tileplan microarchitectures 1", "microarchitectures": [
              {"name": "n", "cpus": [{"vendor": "v", "family": 6, "models": [[5, 4]]}]}]})",
          "table.json"),
      "table.json: microarchitectures[0].cpus[0].models is a list of 1; must be a list of pairs "
      "[first, last] of whole numbers",
      Error);
}
