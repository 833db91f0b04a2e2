// SPDX-License-Identifier: Apache-2.0
// These tests check cpuid decoding, recorded sysfs trees, contradictory sources and calibration.
#include "machine_detect.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>

#include "close_to.h"
#include "microarchitecture.h"
#include "temporary_folder.h"
#include "tileplan/calibrate.h"
#include "tileplan/error.h"

using namespace tileplan;

namespace {

const std::string kCpus = "sys/devices/system/cpu/";

struct Index {
  int level;
  const char* type;
  const char* size;
  int ways;
  const char* shared;
};

void write_cache(const TemporaryFolder& root, int index, const Index& cache) {
  const std::string folder = kCpus + "cpu0/cache/index" + std::to_string(index) + "/";
  root.write(folder + "level", std::to_string(cache.level) + "\n");
  root.write(folder + "type", std::string(cache.type) + "\n");
  root.write(folder + "size", std::string(cache.size) + "\n");
  root.write(folder + "coherency_line_size", "64\n");
  root.write(folder + "ways_of_associativity", std::to_string(cache.ways) + "\n");
  root.write(folder + "shared_cpu_list", std::string(cache.shared) + "\n");
}

void write_cpu(const TemporaryFolder& root, int cpu, const std::string& siblings) {
  root.write(kCpus + "cpu" + std::to_string(cpu) + "/topology/thread_siblings_list",
             siblings + "\n");
}

// Writes the sysfs tree of a Cascade Lake virtual machine with two real cores.
void write_cascade_lake(const TemporaryFolder& root) {
  root.write(kCpus + "online", "0-1\n");
  write_cpu(root, 0, "0");
  write_cpu(root, 1, "1");
  write_cache(root, 0, {1, "Data", "32K", 8, "0"});
  write_cache(root, 1, {1, "Instruction", "32K", 8, "0"});
  write_cache(root, 2, {2, "Unified", "1024K", 16, "0"});
  write_cache(root, 3, {3, "Unified", "36608K", 11, "0-1"});
  root.write("proc/cpuinfo", "processor\t: 0\ncpu MHz\t\t: 2400.000\n");
}

// Writes the sysfs tree of one Zen 5 core complex with eight cores of two hyper-threads each.
void write_zen5(const TemporaryFolder& root) {
  root.write(kCpus + "online", "0-15\n");
  for (int cpu = 0; cpu < 16; ++cpu)
    write_cpu(root, cpu, std::to_string(cpu % 8) + "," + std::to_string(cpu % 8 + 8));
  write_cache(root, 0, {1, "Data", "48K", 12, "0,8"});
  write_cache(root, 1, {1, "Instruction", "32K", 8, "0,8"});
  write_cache(root, 2, {2, "Unified", "1024K", 16, "0,8"});
  write_cache(root, 3, {3, "Unified", "32768K", 16, "0-15"});
  root.write(kCpus + "cpu0/cpufreq/cpuinfo_max_freq", "4121000\n");
  root.write(kCpus + "cpu0/cpufreq/base_frequency", "2700000\n");
}

HostCpu cascade_lake_cpu() {
  HostCpu cpu;
  cpu.signature = {"GenuineIntel", 6, 85, 7};
  cpu.brand = "Intel(R) Xeon(R) Processor";
  cpu.avx2 = cpu.avx512 = cpu.virtual_machine = true;
  return cpu;
}

HostCpu zen5_cpu() {
  HostCpu cpu;
  cpu.signature = {"AuthenticAMD", 26, 2, 1};
  cpu.brand = "AMD EPYC";
  cpu.avx2 = cpu.avx512 = true;
  return cpu;
}

Machine cascade_lake() {
  const TemporaryFolder root;
  write_cascade_lake(root);
  return machine_of({cascade_lake_cpu(), read_topology(root.path()), {}});
}

bool has_note(const Machine& machine, const std::string& part) {
  return std::any_of(machine.provenance.notes.begin(), machine.provenance.notes.end(),
                     [&](const std::string& note) { return note.find(part) != std::string::npos; });
}

// Saves `measured` as the user's calibration, and applies it to the Cascade Lake machine.
Machine calibrated_with(const Machine& measured) {
  const TemporaryFolder folder;
  save_machine(measured, folder / "machine.json");
  return with_calibration(cascade_lake(), folder / "machine.json");
}

Machine measured_cascade_lake() {
  Machine machine = cascade_lake();
  machine.provenance.calibrated = "2026-11-21";
  machine.clock.hertz = 2.9e9;
  machine.rates.overlap_exponent = 3;
  machine.vector.fma_units = 1;
  machine.vector.source = "measured: half of two units";
  machine.provenance.protocol = kProtocol;
  machine.caches[1].hashed = true;
  machine.caches[1].usable = 0.5;
  machine.caches[1].fill_bytes_per_second = 7e9;
  machine.caches[1].rate_source = "measured";
  machine.rates.kernels = {{14, 2, 14.1, 40}};
  machine.rates.joint_bytes_per_second = 9e9;
  machine.rates.overheads.rows_in_place.crowded = 4;
  return machine;
}

}  // namespace

TEST_CASE("detect: cpuid leaf 1 decodes family, model and stepping") {
  CHECK(decode_signature("GenuineIntel", 0x00050657) == CpuSignature{"GenuineIntel", 6, 85, 7});
  CHECK(decode_signature("GenuineIntel", 0x000906ec) == CpuSignature{"GenuineIntel", 6, 158, 12});
  CHECK(decode_signature("AuthenticAMD", 0x00b00f21) == CpuSignature{"AuthenticAMD", 26, 2, 1});
  CHECK(decode_signature("AuthenticAMD", 0x00830f10) == CpuSignature{"AuthenticAMD", 23, 49, 0});
}

TEST_CASE("detect: a cpuid cache subleaf is ways * partitions * line * sets") {
  // Both caches have lines of 64 bytes. The first has 8 ways and 64 sets, the second 11 ways and
  // 53248 sets.
  CHECK(decode_cache({0x1c004121, 0x01c0003f, 0x3f, 0}) == CacheGeometry{1, 32768, 64, 8, 0});
  CHECK(decode_cache({0x1c03c163, 0x0280003f, 0xcfff, 0}) == CacheGeometry{3, 37486592, 64, 11, 0});
  // This is an instruction cache, for which the level 0 is returned.
  CHECK(decode_cache({0x1c004122, 0x01c0003f, 0x3f, 0}).level == 0);
}

TEST_CASE("detect: lists of processors are read up to where they stop being lists") {
  CHECK(parse_cpu_list("0-2,8") == std::vector<int>{0, 1, 2, 8});
  CHECK(parse_cpu_list("5") == std::vector<int>{5});
  CHECK(parse_cpu_list("").empty());
  CHECK(parse_cpu_list("1,x") == std::vector<int>{1});
  CHECK(parse_cpu_list("3-999999999") == std::vector<int>{});
}

TEST_CASE(
    "detect: a Cascade Lake guest yields its caches, two units and 9 bytes per cycle from L3") {
  const Machine machine = cascade_lake();
  CHECK(machine.name == "Intel(R) Xeon(R) Processor (skylake-sp)");
  CHECK(machine.cores == 2);
  CHECK(machine.clock.hertz == close_to(2.4e9));
  CHECK(machine.vector.isa == Isa::avx512);
  CHECK(peak_flops(machine) == close_to(153.6e9));
  REQUIRE(machine.caches.size() == 3);
  CHECK(machine.caches[0].capacity_bytes == 32768);
  CHECK(machine.caches[1].fill_bytes_per_second == close_to(9 * 2.4e9));
  CHECK(machine.caches[2].capacity_bytes == 36608 * 1024);
  CHECK(machine.caches[2].ways == 11);
  CHECK(machine.caches[2].shared_by_cores == 2);
  CHECK(machine.caches[2].victim);
  CHECK(machine.provenance.calibrated.empty());
  CHECK(has_note(machine, "FMA units per core are assumed"));
  CHECK(has_note(machine, "clock: 2.40 GHz (/proc/cpuinfo), which a hypervisor chooses"));
  CHECK(has_note(machine, "virtual machine: the last cache"));
}

TEST_CASE("detect: on a Zen 5 server hyper-threads are no cores and the base clock comes first") {
  const TemporaryFolder root;
  write_zen5(root);
  const Machine machine = machine_of({zen5_cpu(), read_topology(root.path()), {}});
  CHECK(machine.name == "AMD EPYC (zen5)");
  CHECK(machine.cores == 8);
  CHECK(machine.clock.hertz == close_to(2.7e9));
  CHECK(machine.provenance.source.find("/sys/devices/system/cpu/cpu0/cpufreq/base_frequency") !=
        std::string::npos);
  CHECK(machine.vector.issue_width == 8);
  CHECK(machine.vector.fma_units == 2);
  CHECK(machine.caches[0].capacity_bytes == 49152);
  CHECK(machine.caches[0].ways == 12);
  CHECK(machine.caches[0].shared_by_cores == 1);
  CHECK(machine.caches[2].shared_by_cores == 8);
}

TEST_CASE(
    "detect: a guest without cache files falls back on cpuid, then on defaults, and says so") {
  const TemporaryFolder root;
  root.write(kCpus + "online", "0\n");
  HostReport host{cascade_lake_cpu(), read_topology(root.path()), {}};
  host.cpu.caches = {{1, 32768, 64, 8, 0}};
  const Machine machine = machine_of(host);
  CHECK(machine.cores == 1);
  CHECK(machine.clock.nominal_hertz == 0);
  CHECK(machine.clock.hertz == close_to(2.1e9));
  CHECK(has_note(machine, "clock: 2.10 GHz (default of skylake-sp)"));
  REQUIRE(machine.caches.size() == 3);
  CHECK(machine.caches[0].source.rfind("cpuid", 0) == 0);
  CHECK(machine.caches[2].capacity_bytes == 11 * 1024 * 1024);
  CHECK(machine.caches[2].shared_by_cores == 1);
  CHECK(has_note(machine,
                 "L3: neither sysfs, hwloc nor cpuid reports it; default of 11534336 bytes"));
}

TEST_CASE("detect: a source that contradicts sysfs is noted and not believed") {
  const TemporaryFolder root;
  write_cascade_lake(root);
  HostReport host{cascade_lake_cpu(), read_topology(root.path()), {{2, 1048576, 64, 16, 0}}};
  host.cpu.caches = {{3, 16777216, 64, 16, 0}};
  const Machine machine = machine_of(host);
  CHECK(machine.caches[2].capacity_bytes == 37486592);
  CHECK(has_note(machine,
                 "L3: sysfs says 37486592 bytes, 11-way, cpuid says 16777216 bytes, 16-way; sysfs "
                 "is used"));
  CHECK_FALSE(has_note(machine, "L2:"));
}

TEST_CASE("detect: nonsense in sysfs counts as not reported") {
  const TemporaryFolder root;
  write_cascade_lake(root);
  write_cache(root, 3, {3, "Unified", "-5K", 11, "0-1"});
  root.write("proc/cpuinfo", "cpu MHz\t\t: unknown\n");
  const HostTopology topology = read_topology(root.path());
  CHECK(topology.caches.size() == 2);
  CHECK(topology.current.hertz == 0);
}

TEST_CASE("detect: a host without AVX2 is refused") {
  HostReport host;
  host.cpu.signature = {"GenuineIntel", 6, 58, 9};
  CHECK_THROWS_WITH_AS(machine_of(host),
                       "this host (GenuineIntel 6/58/9) has no AVX2 and FMA that the operating "
                       "system enables; name a machine file instead",
                       Error);
}

TEST_CASE("detect: a calibration without rates of integers and halves is used with a note") {
  const Machine machine = calibrated_with(measured_cascade_lake());
  CHECK(machine.clock.hertz == 2.9e9);
  REQUIRE(machine.provenance.notes.size() == 1);
  CHECK(machine.provenance.notes.front() ==
        "the calibration has no rates of integers and halves; bounds are used for them until "
        "`tileplan calibrate` measures them");
}

TEST_CASE("detect: the calibration of this host is used, what was detected stays") {
  Machine measured = measured_cascade_lake();
  measured.rates.others = {{Arithmetic::multiply_s32, 1, {}}};
  const Machine machine = calibrated_with(measured);
  CHECK(machine.provenance.calibrated == "2026-11-21");
  CHECK(machine.clock.hertz == 2.9e9);
  CHECK(machine.clock.nominal_hertz == close_to(2.4e9));
  CHECK(machine.vector.fma_units == 1);
  CHECK(machine.rates == measured.rates);
  CHECK(machine.caches == measured.caches);
  for (const std::string& note : machine.provenance.notes)
    // No note asks for a calibration, because the rates were measured.
    CHECK((note.find("calibrat") == std::string::npos));
}

TEST_CASE("detect: an older calibration does not tell whether a hash selects sets") {
  Machine measured = measured_cascade_lake();
  measured.provenance.protocol = 3;
  CHECK(!calibrated_with(measured).caches[1].hashed);
}

TEST_CASE("detect: the calibration of another machine is not used, and the note says why") {
  const auto refused = [](const Machine& measured, const std::string& why) {
    const Machine machine = calibrated_with(measured);
    CHECK(machine.provenance.calibrated.empty());
    CHECK(machine.caches == cascade_lake().caches);
    CHECK(machine.provenance.refusal.ends_with("machine.json is not used: " + why));
  };
  Machine other = measured_cascade_lake();
  other.cpu.stepping = 6;
  refused(other, "its cpuid signature is GenuineIntel 6/85/6, this host's is GenuineIntel 6/85/7");
  other = measured_cascade_lake();
  other.clock.nominal_hertz = 2.8e9;
  refused(other, "its nominal clock is 2.80 GHz, this host's is 2.40 GHz, so their peaks differ");
  other = measured_cascade_lake();
  other.caches[2].capacity_bytes *= 2;
  refused(other, "its L3 has 74973184 bytes, this host's has 37486592");
  other = measured_cascade_lake();
  other.caches.pop_back();
  refused(other, "it has 2 caches, this host has 3");
  other = measured_cascade_lake();
  other.vector.isa = Isa::avx2;
  other.vector.lanes = 8;
  refused(other, "it was measured with avx2, this host has avx512");
  other = measured_cascade_lake();
  other.provenance.calibrated.clear();
  refused(other, "nothing in it was measured");
}

TEST_CASE("detect: no calibration, or one that cannot be read, leaves defaults and a note") {
  const TemporaryFolder folder;
  const Machine without = with_calibration(cascade_lake(), folder / "machine.json");
  CHECK(has_note(without, "not calibrated: there is no " + (folder / "machine.json")));
  folder.write("machine.json", "{");
  const Machine broken = with_calibration(cascade_lake(), folder / "machine.json");
  CHECK(broken.provenance.refusal.starts_with(
      "calibration is not used: " + (folder / "machine.json") + ": not JSON"));
  CHECK(broken.caches == cascade_lake().caches);
}

TEST_CASE("detect: AVX2 kernels run on an AVX-512 host, not the other way round") {
  const Machine wide = cascade_lake();
  Machine narrow = wide;
  narrow.vector = core_of(wide.cpu, Isa::avx2).vector;
  CHECK_FALSE(mismatch(narrow, wide).has_value());
  CHECK(mismatch(wide, narrow) == "its ISA is avx512, this host's is avx2");
  CHECK(mismatch(load_machine("thunderx2"), wide) ==
        "its cpuid signature is no cpuid 0/0/0, this host's is GenuineIntel 6/85/7");
  // This machine has the same cpuid signature, but a clock of 2.2 GHz and one FMA unit.
  CHECK(mismatch(load_machine("xeon-gold-5220"), wide) ==
        "its nominal clock is 2.20 GHz, this host's is 2.40 GHz, so their peaks differ");
  CHECK_FALSE(mismatch(load_machine("cascade-lake-vm"), wide).has_value());
}

TEST_CASE("detect: the cache file follows XDG_CACHE_HOME, then HOME, and both must be absolute") {
  // No other thread reads the environment, so this test may change the variables.
  const std::string home = std::getenv("HOME") == nullptr ? "/" : std::getenv("HOME");
  setenv("HOME", "/home/someone", 1);
  setenv("XDG_CACHE_HOME", "/var/caches", 1);
  CHECK(machine_cache_path() == "/var/caches/tileplan/machine.json");
  setenv("XDG_CACHE_HOME", "relative", 1);
  CHECK(machine_cache_path() == "/home/someone/.cache/tileplan/machine.json");
  unsetenv("XDG_CACHE_HOME");
  setenv("HOME", "", 1);
  CHECK_THROWS_WITH_AS(machine_cache_path(),
                       "no cache folder: XDG_CACHE_HOME or HOME must be an absolute path", Error);
  setenv("HOME", home.c_str(), 1);
}

TEST_CASE("detect: this host is itself, survives saving, and says that it is not calibrated") {
  const TemporaryFolder folder;
  setenv("XDG_CACHE_HOME", folder.path().c_str(), 1);
  if (!read_cpu().avx2) {
    CHECK_THROWS_AS(detect_machine(), Error);
    return;
  }
  const Machine machine = detect_machine();
  CHECK_FALSE(host_mismatch(machine).has_value());
  CHECK(peak_flops(machine) > 1e9);
  CHECK(has_note(machine, "not calibrated: there is no " + machine_cache_path()));
  CHECK(detect_machine() == machine);
  save_machine(machine, folder / "copy.json");
  CHECK(load_machine(folder / "copy.json") == machine);
  Machine other = machine;
  other.cpu.family += 1;
  CHECK(host_mismatch(other).has_value());
}
