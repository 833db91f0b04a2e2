// SPDX-License-Identifier: Apache-2.0
// This test checks that machines which the models cannot use are refused, one field at a time.
#include "machine_rules.h"

#include <doctest/doctest.h>

#include <functional>
#include <limits>

#include "error_of.h"

using namespace tileplan;

namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

/// Returns the error about a shipped machine after `change`, without the leading name.
std::string complaint(const std::function<void(Machine&)>& change) {
  Machine machine = load_machine("xeon-gold-6130");
  change(machine);
  const std::string what = error_of([&] { check_machine(machine, "m"); });
  return what.substr(std::min<std::size_t>(what.size(), 3));
}

}  // namespace

TEST_CASE("machine rules: shipped machines keep them, for doubles too") {
  for (const std::string& name : shipped_machines()) {
    const Machine machine = load_machine(name);
    CHECK_NOTHROW(check_machine(machine, name));
    CHECK_NOTHROW(check_machine(machine_for(machine, ElementType::f64), name));
  }
  CHECK_NOTHROW(check_machine(detect_machine(), "host"));
}

TEST_CASE("machine rules: caches have whole lines, ways and sizes that occur, and grow outwards") {
  const std::string lines = "; must be a power of two from 8 to 4096";
  for (const int line : {0, 1, 3, 48, 8192})
    CHECK(complaint([&](Machine& m) { m.caches[1].line_bytes = line; }) ==
          "caches[1].line_bytes is " + std::to_string(line) + lines);
  CHECK(complaint([](Machine& m) { m.caches[0].ways = 0; }) ==
        "caches[0].ways is 0; must be a whole number from 1 to 2147483647");
  CHECK(complaint([](Machine& m) { m.caches[1].capacity_bytes = std::int64_t{1} << 50; }) ==
        "caches[1].capacity_bytes is 1125899906842624; must be a whole number from 1 to "
        "1099511627776");
  CHECK(complaint([](Machine& m) { m.caches[1].capacity_bytes = 16384; }) ==
        "caches[1].capacity_bytes is 16384; must be at least that of the cache before it, 32768, "
        "or of a victim cache");
  CHECK(
      complaint([](Machine& m) { m.caches[0].capacity_bytes = std::int64_t{1} << 40; }) ==
      "caches[0].capacity_bytes is 1099511627776; must be at most 2^20 sets of line_bytes * ways, "
      "536870912");
  CHECK(complaint([](Machine& m) { m.caches[1].name = "LLC"; }) ==
        "caches[1].name is \"LLC\"; must be \"L2\"");
  CHECK(complaint([](Machine& m) { m.caches.clear(); }) ==
        "caches is a list of 0; must be a list of at least one");
}

TEST_CASE("machine rules: rates are positive and finite, shares of caches at most 2") {
  CHECK(complaint([](Machine& m) { m.clock.hertz = kNan; }) ==
        "hertz is nan; must be a number greater than 0");
  CHECK(complaint([](Machine& m) { m.caches[0].usable = kNan; }) ==
        "caches[0].usable is nan; must be a number greater than 0");
  CHECK(complaint([](Machine& m) { m.caches[0].fill_bytes_per_second = -1; }) ==
        "caches[0].fill_bytes_per_second is -1.000000; must be a number greater than 0");
  CHECK(complaint([](Machine& m) { m.caches[0].write_bytes_per_second = kNan; }) ==
        "caches[0].write_bytes_per_second is nan; must be a number of at least 0");
  CHECK(complaint([](Machine& m) { m.rates.overlap_exponent = 0; }) ==
        "overlap_exponent is 0.000000; must be a number of at least 1");
  CHECK(complaint([](Machine& m) { m.rates.overheads.fork_seconds = -1; }) ==
        "overheads.fork_seconds is -1.000000; must be a number of at least 0");
  CHECK(complaint([](Machine& m) { m.rates.overheads.short_rows.from_cache = 0.5; }) ==
        "overheads.short_rows_from_cache is 0.500000; must be a number of at least 1");
  CHECK(complaint([](Machine& m) { m.rates.kernels = {{}}; }) ==
        "kernels[0].pixels is 0; must be a whole number from 1 to 2147483647");
}

TEST_CASE("machine rules: a short call takes no longer than sixteen steps, of all arithmetic") {
  const KernelRate rate{.pixels = 1,
                        .vectors = 1,
                        .cycles_per_step = 1,
                        .cycles_per_call = 4,
                        .cycles_per_short_call = 21};
  const std::string rule =
      "kernels[0].cycles_per_short_call is 21.000000; must be a number from 0 to 20.000000, the "
      "cycles of 16 steps";
  CHECK(complaint([&](Machine& m) { m.rates.kernels = {rate}; }) == rule);
  CHECK(complaint([&](Machine& m) {
          m.rates.others = {{Arithmetic::dot_bytes, 1, {rate}}};
        }) == "other_kernels[0]." + rule);
}

TEST_CASE("machine rules: cores, and vector units of the registers that their sets have") {
  CHECK(complaint([](Machine& m) { m.cores = -1; }) ==
        "cores is -1; must be a whole number from 1 to 2147483647");
  CHECK(complaint([](Machine& m) { m.vector.isa = Isa{99}; }) ==
        "vector.isa is unknown ISA; must be avx2, avx512, avx512vl, neon or amx");
  CHECK(complaint([](Machine& m) { m.vector.lanes = 3; }) ==
        "vector.lanes is 3; must be 16, the elements of f32 in a register of avx512");
  for (const int registers : {1, 33, 1000, std::numeric_limits<int>::max()})
    CHECK(complaint([&](Machine& m) { m.vector.registers = registers; }) ==
          "vector.registers is " + std::to_string(registers) +
              "; must be a whole number from 4 to 32");
  CHECK(complaint([](Machine& m) {
          m.narrow = NarrowUnit{.vector = {.isa = Isa::avx512vl, .lanes = 8, .registers = 1}};
        }) == "narrow.registers is 1; must be a whole number from 4 to 32");
}
