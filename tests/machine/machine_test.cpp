// SPDX-License-Identifier: Apache-2.0
// These tests check the peaks and units of machines, shipped machine files, the JSON round trip and
// error texts.
#include "tileplan/machine.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "close_to.h"
#include "error_of.h"
#include "temporary_folder.h"
#include "tileplan/error.h"

using namespace tileplan;

namespace {

// Returns a machine with numbers that are easy to find and replace in its file.
Machine small_machine() {
  Machine machine;
  machine.name = "small";
  machine.cpu = {"GenuineIntel", 6, 85, 7};
  machine.cores = 3;
  machine.clock.nominal_hertz = 2e9;
  machine.clock.hertz = 1.5e9;
  machine.vector.source = "by hand";
  machine.caches = {{.name = "L1",
                     .capacity_bytes = 32768,
                     .fill_bytes_per_second = 5e10,
                     .write_bytes_per_second = 2.5e10,
                     .source = "by hand",
                     .rate_source = "by guess"}};
  machine.rates.kernels = {{14, 2, 14.25, 40}};
  machine.provenance.calibrated = "2026-11-21, 5 runs";
  machine.provenance.source = "by hand";
  machine.provenance.notes = {"first", "second"};
  machine.provenance.refusal = "third";
  return machine;
}

// Returns the machine file of small_machine() with `from` replaced by `to`.
std::string edited(const TemporaryFolder& folder, const std::string& from, const std::string& to) {
  const std::string path = folder / "machine.json";
  save_machine(small_machine(), path);
  std::string text = content_of(path);
  const std::size_t at = text.find(from);
  REQUIRE_MESSAGE(at != std::string::npos, from);
  return text.replace(at, from.size(), to);
}

std::string error_of_loading(const std::string& path) {
  return error_of([&] { load_machine(path); });
}

// Returns the error of load_machine() for the text of edited(), without the path in front.
std::string complaint(const std::string& from, const std::string& to) {
  const TemporaryFolder folder;
  const std::string path = folder.write("edited.json", edited(folder, from, to));
  const std::string what = error_of_loading(path);
  CHECK(what.rfind(path + ": ", 0) == 0);
  return what.substr(std::min(what.size(), path.size() + 2));
}

std::string complaint_about(const Machine& machine, const std::string& path) {
  return error_of([&] { save_machine(machine, path); });
}

double uniform(std::mt19937& random, double least, double most) {
  return std::uniform_real_distribution<double>(least, most)(random);
}

}  // namespace

TEST_CASE("machine: the peak is 2 * lanes * FMA units * clock") {
  CHECK(peak_flops(load_machine("cascade-lake-vm")) == close_to(153.6e9));
  // With one FMA unit, the peak is 2 * 16 * 1 * 2.2 GHz.
  CHECK(peak_flops(load_machine("xeon-gold-5220")) == close_to(70.4e9));
  CHECK(peak_flops(load_machine("epyc-7282")) == close_to(102.4e9));
}

TEST_CASE("machine: doubles halve lanes and peak, rates of register tiles stay") {
  const Machine machine = load_machine("cascade-lake-vm");
  const Machine doubles = machine_for(machine, ElementType::f64);
  CHECK(2 * doubles.vector.lanes == machine.vector.lanes);
  CHECK(2 * peak_flops(doubles) == peak_flops(machine));
  CHECK(doubles.rates.kernels == machine.rates.kernels);
  CHECK(machine_for(doubles, ElementType::f64) == doubles);
  CHECK(machine_for(doubles, ElementType::f32) == machine);
}

TEST_CASE("machine: dot products have lanes, peaks and rates of their own, which survive saving") {
  Machine machine = small_machine();
  machine.vector.dots = {.integers = true, .bf16 = true};
  machine.rates.others = {{Arithmetic::dot_bytes, 1.5, {{6, 4, 12.5, 30}}},
                          {Arithmetic::multiply_s32, 1, {}}};
  const TemporaryFolder folder;
  save_machine(machine, folder / "machine.json");
  CHECK(load_machine(folder / "machine.json") == machine);
  const Machine bytes = machine_for(machine, parse_types("u8:s8:u8"));
  CHECK(bytes.vector.element == ElementType::s32);
  CHECK(bytes.vector.lanes == 16);
  CHECK(peak_flops(bytes) == 2 * 16 * 4 * 1.5 * machine.clock.hertz);
  // Without a measured rate, the peak assumes that each of the two FMA units multiplies a vector of
  // pairs per cycle.
  CHECK(peak_flops(machine_for(machine, ElementType::bf16)) == 2 * peak_flops(machine));
  CHECK(machine_for(bytes, ElementType::f32) == machine);
  // Without instructions for dot products, bytes are widened to s16, and each dot product of pairs
  // takes two instructions.
  machine.vector.dots = {};
  CHECK(peak_flops(machine_for(machine, parse_types("u8:s8:u8"))) == peak_flops(machine));
}

TEST_CASE("machine: the narrow unit survives saving, halves its lanes for doubles, takes over") {
  const TemporaryFolder folder;
  Machine machine = small_machine();
  machine.narrow = NarrowUnit{.vector = machine.vector, .kernels = {{28, 1, 14.5, 30, 2}}};
  machine.narrow->vector.isa = Isa::avx512vl;
  machine.narrow->vector.lanes = 8;
  save_machine(machine, folder / "machine.json");
  CHECK(load_machine(folder / "machine.json") == machine);
  CHECK(machine_for(machine, ElementType::f64).narrow->vector.lanes == 4);
  const Machine seen = with_narrow_unit(machine);
  CHECK(seen.vector == machine.narrow->vector);
  CHECK(seen.rates.kernels == machine.narrow->kernels);
  CHECK_FALSE(seen.narrow);
  machine.narrow->vector.lanes = 4;
  CHECK(complaint_about(machine, folder / "wrong.json") ==
        (folder / "wrong.json") +
            ": narrow.lanes is 4; must be 8, the elements of f32 in a register of avx512vl");
}

TEST_CASE("machine: tiles survive saving and take over, and only their types have an arithmetic") {
  const TemporaryFolder folder;
  Machine machine = small_machine();
  machine.tiles = machine.vector;
  machine.tiles->isa = Isa::amx;
  machine.tiles->registers = 8;
  machine.tiles->dots = {.integers = true, .bf16 = false};
  machine.rates.others = {{.arithmetic = Arithmetic::tile_bytes, .steps_per_cycle = 0.5}};
  save_machine(machine, folder / "machine.json");
  CHECK(load_machine(folder / "machine.json") == machine);
  const Machine bytes = machine_for(machine, parse_types("s8:s8:s32"));
  CHECK(bytes.tiles->arithmetic == Arithmetic::tile_bytes);
  CHECK(machine_for(bytes, ElementType::f32) == machine);
  CHECK(machine_for(machine, ElementType::bf16).tiles->arithmetic == Arithmetic::fma);
  const Machine seen = with_tile_unit(bytes);
  CHECK(seen.vector == *bytes.tiles);
  CHECK(peak_flops(seen) == 2.0 * 16 * 64 * 0.5 * machine.clock.hertz);
  machine.tiles->isa = Isa::avx512;
  CHECK(complaint_about(machine, folder / "wrong.json") ==
        (folder / "wrong.json") + ": tiles.isa is avx512; must be amx");
}

TEST_CASE("machine: rates of Winograd transforms survive saving, and wrong sizes are refused") {
  const TemporaryFolder folder;
  Machine machine = small_machine();
  machine.rates.transforms = {{.outputs = {4, 2},
                               .taps = {3, 3},
                               .in_first = 100,
                               .out_first = 50.5,
                               .in_second = 120,
                               .out_second = 90}};
  save_machine(machine, folder / "machine.json");
  CHECK(load_machine(folder / "machine.json") == machine);
  machine.rates.transforms.front().outputs = {9, 1};
  CHECK_THROWS_AS(save_machine(machine, folder / "machine.json"), Error);
  CHECK(with_narrow_unit([&] {
          Machine both = machine;
          both.narrow = NarrowUnit{.vector = machine.vector};
          return both;
        }())
            .rates.transforms.empty());
}

TEST_CASE("machine: overheads that differ from the defaults survive saving, others follow them") {
  Machine machine = small_machine();
  machine.rates.overheads.run_cycles = 8;
  machine.rates.overheads.rows_in_place = {4, 5, 3, 2, 7, 9, 8};
  machine.rates.joint_bytes_per_second = 9e10;
  machine.rates.near_prefetch_steps = 4;
  const TemporaryFolder folder;
  save_machine(machine, folder / "machine.json");
  CHECK(load_machine(folder / "machine.json") == machine);
  const std::string text = content_of(folder / "machine.json");
  for (const char* const member :
       {"run_cycles\": 8.0", "near_row_cycles\": 4.0", "near_prefetched_row_cycles\": 5.0",
        "crowded_row_cycles\": 3.0", "crowded_prefetched_row_cycles\": 2.0",
        "apart_row_cycles\": 7.0", "apart_prefetched_row_cycles\": 9.0",
        "many_pages_row_cycles\": 8.0"})
    CHECK(text.find(std::string("\"") + member) != std::string::npos);
  CHECK(text.find("dispatch_cycles") == std::string::npos);
}

TEST_CASE("machine: the shipped files are these, and the table of defaults is none of them") {
  CHECK(shipped_machines() == std::vector<std::string>{"carmel", "cascade-lake-vm", "core-i7-9700k",
                                                       "epyc-7282", "thunderx2", "xeon-gold-5220",
                                                       "xeon-gold-6130"});
}

TEST_CASE("machine: every shipped file survives saving and loading, and names all its sources") {
  const TemporaryFolder folder;
  for (const std::string& name : shipped_machines()) {
    CAPTURE(name);
    const Machine machine = load_machine(name);
    CHECK(machine.name == name);
    CHECK(machine.caches.size() == 3);
    CHECK_FALSE((machine.provenance.source.empty() || machine.vector.source.empty()));
    for (const CacheLevel& cache : machine.caches)
      CHECK_FALSE((cache.source.empty() || cache.rate_source.empty()));
    save_machine(machine, folder / "copy.json");
    CHECK(load_machine(folder / "copy.json") == machine);
  }
}

TEST_CASE("machine: cache sizes of the GEMM paper's Carmel are those that its Table 2 implies") {
  const Machine carmel = load_machine("carmel");
  CHECK(carmel.caches[0].capacity_bytes == 65536);
  CHECK(carmel.caches[0].ways == 4);
  CHECK(carmel.caches[1].capacity_bytes == 2097152);
  CHECK(carmel.caches[1].ways == 16);
  CHECK(carmel.caches[2].capacity_bytes == 4194304);
}

TEST_CASE("machine: detected and calibrated numbers are two objects of the file") {
  const TemporaryFolder folder;
  save_machine(small_machine(), folder / "machine.json");
  const std::string text = content_of(folder / "machine.json");
  const std::size_t detected = text.find("\"detected\": {"),
                    calibrated = text.find("\"calibrated\": {");
  REQUIRE(detected < calibrated);
  CHECK(text.find("\"capacity_bytes\"") < calibrated);
  CHECK(text.find("\"nominal_hertz\"") < calibrated);
  CHECK(text.find("\"usable\"") > calibrated);
  CHECK(text.find("\"fill_bytes_per_second\"") > calibrated);
  // The peak is 2 * 16 * 2 * 1.5 GHz.
  CHECK(text.find("\"peak_flops\": 96000000000.0") > calibrated);
}

TEST_CASE("machine: random machines come back bit for bit") {
  const TemporaryFolder folder;
  for (unsigned seed = 0; seed < 50; ++seed) {
    CAPTURE(seed);
    std::mt19937 random(seed);
    Machine machine = small_machine();
    machine.name = "quote \" and line\nbreak " + std::to_string(random());
    machine.clock.hertz = uniform(random, 1e9, 5e9);
    machine.rates.overlap_exponent = uniform(random, 1, 9);
    machine.vector.isa = Isa{static_cast<int>(random() % 3)};
    machine.vector.lanes = machine.vector.isa == Isa::avx512 ? 16 : 8;
    machine.caches[0].usable = uniform(random, 0.1, 1);
    machine.caches[0].fill_bytes_per_second = uniform(random, 1e9, 1e12);
    machine.caches.push_back(machine.caches[0]);
    machine.caches[1].name = "L2";
    machine.caches[1].victim = random() % 2 == 0;
    machine.caches[1].hashed = random() % 2 == 0;
    machine.rates.kernels[0].cycles_per_step = uniform(random, 0.5, 100);
    if (random() % 2 == 0) machine.rates.kernels[0].cycles_per_short_call = uniform(random, 0, 8);
    save_machine(machine, folder / "machine.json");
    CHECK(load_machine(folder / "machine.json") == machine);
  }
}

TEST_CASE("machine: a wrong field is named with its value and the rule") {
  CHECK(complaint("\"cores\": 3", "\"cores\": \"3\"") ==
        "detected.cores is \"3\"; must be a whole number from 1 to 2147483647");
  CHECK(complaint("\"cores\": 3", "\"cores\": 3.5") ==
        "detected.cores is 3.5; must be a whole number from 1 to 2147483647");
  CHECK(complaint("\"cores\": 3", "\"cores\": 18446744073709551615") ==
        "detected.cores is 18446744073709551615; must be a whole number from 1 to 2147483647");
  CHECK(complaint("\"family\": 6", "\"family\": -6") ==
        "detected.cpu.family is -6; must be a whole number from 0 to 2147483647");
  CHECK(complaint("\"capacity_bytes\": 32768", "\"capacity_bytes\": 0") ==
        "detected.caches[0].capacity_bytes is 0; must be a whole number from 1 to "
        "9223372036854775807");
  CHECK(complaint("\"victim\": false", "\"victim\": 0") ==
        "detected.caches[0].victim is 0; must be true or false");
  CHECK(complaint("\"usable\": 1.0", "\"usable\": 0") ==
        "calibrated.caches[0].usable is 0; must be a number greater than 0");
  CHECK(complaint("\"overlap_exponent\": 4.0", "\"overlap_exponent\": 0.5") ==
        "calibrated.overlap_exponent is 0.5; must be a number of at least 1");
  CHECK(complaint("\"nominal_hertz\": 2000000000.0", "\"nominal_hertz\": -1") ==
        "detected.nominal_hertz is -1; must be a number of at least 0");
  CHECK(complaint("\"name\": \"small\"", "\"name\": []") == "name is a list of 0; must be a text");
}

TEST_CASE("machine: a missing or unknown field is named") {
  CHECK(complaint("\"cores\": 3,", "") ==
        "detected.cores is missing; must be a whole number from 1 to 2147483647");
  CHECK(complaint("\"fill_bytes_per_second\": 50000000000.0,", "") ==
        "calibrated.caches[0].fill_bytes_per_second is missing; must be a number greater than 0");
  CHECK(complaint("\"lanes\"", "\"lames\"") ==
        "detected.vector.\"lames\" is not a field; must be one of isa, lanes, registers, "
        "fma_units, load_ports, store_ports, issue_width, fma_latency, source, dot_integers, "
        "dot_bf16");
}

TEST_CASE("machine: rules that span several fields are checked") {
  CHECK(complaint("\"isa\": \"avx512\"", "\"isa\": \"sse\"") ==
        "detected.vector.isa is \"sse\"; must be avx2, avx512, avx512vl, neon or amx");
  CHECK(complaint("\"peak_flops\": 96000000000.0", "\"peak_flops\": 1e9") ==
        "calibrated.peak_flops is 1000000000.0; must be 2 * lanes * fma_units * hertz = "
        "96000000000.0");
  CHECK(complaint("\"capacity_bytes\": 32768", "\"capacity_bytes\": 511") ==
        "caches[0].capacity_bytes is 511; must be at least line_bytes * ways = 512");
  CHECK(complaint("\"name\": \"L1\"", "\"name\": \"L2\"") ==
        "detected.caches[0].name is \"L2\"; must be \"L1\"");
  CHECK(complaint("\"format\": \"tileplan machine 1\"", "\"format\": \"tileplan machine 9\"") ==
        "format is \"tileplan machine 9\"; must be \"tileplan machine 1\"");
  CHECK(complaint("\"notes\": [\n    \"first\",", "\"notes\": [\n    7,") ==
        "notes is a list of 2; must be a list of texts");
}

TEST_CASE("machine: the numbers of caches that were detected and calibrated must agree") {
  Machine machine = small_machine();
  const TemporaryFolder folder;
  save_machine(machine, folder / "machine.json");
  std::string text = content_of(folder / "machine.json");
  const std::size_t first = text.rfind("\"caches\": ["), last = text.find(']', first);
  text.replace(first, last - first, "\"caches\": [");
  const std::string path = folder.write("edited.json", text);
  CHECK_THROWS_WITH_AS(load_machine(path),
                       (path + ": calibrated.caches is a list of 0; must be one entry for each of "
                               "the 1 detected caches")
                           .c_str(),
                       Error);
}

TEST_CASE("machine: a text that is no JSON object is refused with the place") {
  const TemporaryFolder folder;
  const std::string cut = folder.write("cut.json", "{\"name\": ");
  CHECK_THROWS_WITH_AS(load_machine(cut),
                       doctest::Contains("not JSON: parse error at line 1, column 10"), Error);
  const std::string list = folder.write("list.json", "[1, 2]");
  CHECK_THROWS_WITH_AS(load_machine(list),
                       (list + ": the file is a list of 2; must be an object").c_str(), Error);
}

TEST_CASE("machine: a name that is neither shipped nor a file is refused with the shipped names") {
  CHECK_THROWS_WITH_AS(load_machine("xeon-gold-9999"),
                       "machine \"xeon-gold-9999\" is neither a file nor shipped; must be a path "
                       "or one of carmel, cascade-lake-vm, core-i7-9700k, epyc-7282, thunderx2, "
                       "xeon-gold-5220, xeon-gold-6130",
                       Error);
  const TemporaryFolder folder;
  const std::string absent = folder / "absent.json";
  CHECK_THROWS_WITH_AS(
      load_machine(absent),
      (absent + ": cannot be read (No such file or directory); must be a machine file").c_str(),
      Error);
  const std::string directory = folder.path().string();
  CHECK_THROWS_WITH_AS(
      load_machine(directory),
      (directory + ": cannot be read (Is a directory); must be a machine file").c_str(), Error);
}

TEST_CASE("machine: numbers that loading would refuse do not replace a good file") {
  const TemporaryFolder folder;
  const std::string path = folder / "machine.json";
  save_machine(small_machine(), path);
  Machine broken = small_machine();
  broken.caches[0].fill_bytes_per_second = std::numeric_limits<double>::quiet_NaN();
  CHECK(complaint_about(broken, path) ==
        path +
            ": calibrated.caches[0].fill_bytes_per_second is null; must be a number greater "
            "than 0");
  CHECK(load_machine(path) == small_machine());
}
