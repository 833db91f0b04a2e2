// SPDX-License-Identifier: Apache-2.0
// This file finds the user's calibration file, and uses it if it describes this host.
#include <cstdlib>
#include <filesystem>

#include "machine_detect.h"
#include "tileplan/error.h"

namespace tileplan {
namespace {

/// Returns the first difference in the number or sizes of caches, or nothing when there is none.
/// The usable shares and the bandwidths in a calibration are valid only for caches of equal sizes.
std::optional<std::string> cache_difference(const Machine& measured, const Machine& host) {
  if (measured.caches.size() != host.caches.size())
    return "it has " + std::to_string(measured.caches.size()) + " caches, this host has " +
           std::to_string(host.caches.size());
  for (std::size_t i = 0; i < host.caches.size(); ++i)
    if (measured.caches[i].capacity_bytes != host.caches[i].capacity_bytes)
      return "its " + host.caches[i].name + " has " +
             std::to_string(measured.caches[i].capacity_bytes) + " bytes, this host's has " +
             std::to_string(host.caches[i].capacity_bytes);
  return std::nullopt;
}

std::optional<std::string> why_unusable(const Machine& measured, const Machine& host) {
  if (measured.provenance.calibrated.empty()) return "nothing in it was measured";
  if (auto reason = mismatch(measured, host)) return reason;
  if (measured.vector.isa != host.vector.isa)
    return "it was measured with " + to_string(measured.vector.isa) + ", this host has " +
           to_string(host.vector.isa);
  return cache_difference(measured, host);
}

/// Calibrations by protocols below this number did not measure CacheLevel::hashed.
constexpr int kHashProtocol = 4;

/// Copies the fields that `calibrate` measures, and replaces the notes.
void copy_measurements(const Machine& measured, Machine& machine) {
  machine.provenance.calibrated = measured.provenance.calibrated;
  machine.provenance.protocol = measured.provenance.protocol;
  machine.clock.hertz = measured.clock.hertz;
  // Older calibration files do not contain the dot-product instructions, so those of the host are
  // kept.
  const DotProducts dots = machine.vector.dots;
  machine.vector = measured.vector;
  machine.vector.dots = dots;
  machine.narrow = measured.narrow;
  if (machine.narrow && machine.narrow->vector.isa == Isa::avx512vl)
    machine.narrow->vector.dots = dots;
  // Older calibration files do not contain the tiles, so those of the host are kept. Tiles use the
  // ports of vectors, whose numbers the file has. The rates of tiles are in MeasuredRates::others.
  if (machine.tiles) {
    machine.tiles->load_ports = measured.vector.load_ports;
    machine.tiles->store_ports = measured.vector.store_ports;
  }
  machine.rates = measured.rates;
  for (std::size_t i = 0; i < machine.caches.size(); ++i) {
    CacheLevel& cache = machine.caches[i];
    if (measured.provenance.protocol >= kHashProtocol) cache.hashed = measured.caches[i].hashed;
    cache.usable = measured.caches[i].usable;
    cache.fill_bytes_per_second = measured.caches[i].fill_bytes_per_second;
    cache.write_bytes_per_second = measured.caches[i].write_bytes_per_second;
    cache.conflict_bytes_per_second = measured.caches[i].conflict_bytes_per_second;
    cache.rate_source = measured.caches[i].rate_source;
  }
  machine.provenance.notes.clear();  // Most notes are about the default rates.
  if (machine.rates.others.empty())
    machine.provenance.notes.emplace_back(
        "the calibration has no rates of integers and halves; bounds are used for them until "
        "`tileplan calibrate` measures them");
}

}  // namespace

std::string machine_cache_path() {
  // By the XDG base directory specification, a path that is not absolute counts as unset.
  for (const auto& [variable, folder] : {std::pair{"XDG_CACHE_HOME", ""}, {"HOME", ".cache"}}) {
    const char* value = std::getenv(variable);
    if (value != nullptr && std::filesystem::path(value).is_absolute())
      return (std::filesystem::path(value) / folder / "tileplan" / "machine.json").string();
  }
  throw Error("no cache folder: XDG_CACHE_HOME or HOME must be an absolute path");
}

Machine with_calibration(Machine detected, const std::string& path) {
  std::error_code error;
  if (!std::filesystem::exists(path, error)) {
    detected.provenance.notes.insert(
        detected.provenance.notes.begin(),
        "not calibrated: there is no " + path +
            "; `tileplan calibrate` replaces the default rates of the microarchitecture");
    return detected;
  }
  try {
    const Machine measured = load_machine(path);
    if (const auto reason = why_unusable(measured, detected))
      detected.provenance.refusal = "calibration " + path + " is not used: " + *reason;
    else
      copy_measurements(measured, detected);
  } catch (const Error& failure) {
    detected.provenance.refusal = std::string("calibration is not used: ") + failure.what();
  }
  return detected;
}

}  // namespace tileplan
