// SPDX-License-Identifier: Apache-2.0
// Writes and reads each object of a machine file in a function of its own.
#include "machine_json.h"

#include <array>
#include <charconv>
#include <cmath>
#include <string_view>

#include "machine_rules.h"

namespace tileplan {
namespace {

constexpr const char* kFormat = "tileplan machine 1";
constexpr double kPeakTolerance = 1e-3;  ///< A peak that was written by hand may be rounded.

constexpr std::initializer_list<const char*> kCacheFields = {
    "name", "capacity_bytes", "line_bytes", "ways", "shared_by_cores", "victim", "source"};
constexpr std::initializer_list<const char*> kRateFields = {
    "name", "usable", "fill_bytes_per_second", "write_bytes_per_second", "source"};
constexpr std::initializer_list<const char*> kKernelFields = {
    "pixels", "vectors", "cycles_per_step", "cycles_per_call", "cycles_per_resume"};

constexpr std::pair<const char*, int VectorUnit::*> kUnitCounts[] = {
    {"lanes", &VectorUnit::lanes},
    {"registers", &VectorUnit::registers},
    {"fma_units", &VectorUnit::fma_units},
    {"load_ports", &VectorUnit::load_ports},
    {"store_ports", &VectorUnit::store_ports},
    {"issue_width", &VectorUnit::issue_width}};

Json to_json(const VectorUnit& unit) {
  Json json = {{"isa", to_string(unit.isa)}};
  for (const auto& [name, count] : kUnitCounts) json[name] = unit.*count;
  json["fma_latency"] = unit.fma_latency;
  json["source"] = unit.source;
  return json;
}

Json detected_json(const Machine& machine) {
  Json caches = Json::array();
  for (const CacheLevel& cache : machine.caches)
    caches.push_back({{"name", cache.name},
                      {"capacity_bytes", cache.capacity_bytes},
                      {"line_bytes", cache.line_bytes},
                      {"ways", cache.ways},
                      {"shared_by_cores", cache.shared_by_cores},
                      {"victim", cache.victim},
                      {"source", cache.source}});
  Json json = {{"source", machine.provenance.source},
               {"cpu",
                {{"vendor", machine.cpu.vendor},
                 {"family", machine.cpu.family},
                 {"model", machine.cpu.model},
                 {"stepping", machine.cpu.stepping}}},
               {"cores", machine.cores},
               {"nominal_hertz", machine.clock.nominal_hertz},
               {"vector", to_json(machine.vector)},
               {"caches", caches}};
  if (machine.narrow) json["narrow"] = to_json(machine.narrow->vector);
  return json;
}

using FormSize = std::pair<char, int KernelForm::*>;
constexpr std::array<FormSize, 6> kFormSizes{{{'w', &KernelForm::w},
                                              {'h', &KernelForm::h},
                                              {'k', &KernelForm::k},
                                              {'r', &KernelForm::r},
                                              {'s', &KernelForm::s},
                                              {'c', &KernelForm::c}}};

template <typename Number>
void append(std::string& text, Number value) {
  std::array<char, 32> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
  text.append(digits.data(), end);
}

/// Removes the number that `rest` starts with and one blank after it. Returns the number.
template <typename Number>
std::optional<Number> take(std::string_view& rest) {
  Number value{};
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), value);
  if (error != std::errc()) return std::nullopt;
  rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
  if (rest.size() > 1 && rest.front() == ' ') rest.remove_prefix(1);
  return value;
}

/// Returns a text like "w7 h2 k2 r3 s1 c4 14.02 35.1". Each kernel is one text, because thousands
/// of JSON objects would be slow to load and hard to read.
std::string row_of(const FormRate& rate) {
  std::string row;
  for (const auto& [letter, size] : kFormSizes) {
    row += letter;
    append(row, rate.form.*size);
    row += ' ';
  }
  append(row, rate.cycles_per_step);
  row += ' ';
  append(row, rate.cycles_per_call);
  return row;
}

/// Reads a text of row_of. Returns nothing unless its numbers are positive; the last may be 0.
std::optional<FormRate> parse_form_rate(std::string_view row) {
  FormRate rate;
  for (const auto& [letter, size] : kFormSizes) {
    if (!row.starts_with(letter)) return std::nullopt;
    row.remove_prefix(1);
    const std::optional<int> value = take<int>(row);
    if (!value || *value < 1) return std::nullopt;
    rate.form.*size = *value;
  }
  const std::optional<double> step = take<double>(row), call = take<double>(row);
  if (!step || !call || !row.empty() || !std::isfinite(*step) || !std::isfinite(*call) ||
      *step <= 0 || *call < 0)
    return std::nullopt;
  rate.cycles_per_step = *step;
  rate.cycles_per_call = *call;
  return rate;
}

Json kernels_json(const std::vector<KernelRate>& kernels) {
  Json rows = Json::array();
  for (const KernelRate& rate : kernels)
    rows.push_back({{"pixels", rate.pixels},
                    {"vectors", rate.vectors},
                    {"cycles_per_step", rate.cycles_per_step},
                    {"cycles_per_call", rate.cycles_per_call},
                    {"cycles_per_resume", rate.cycles_per_resume}});
  return rows;
}

Json calibrated_json(const Machine& machine) {
  Json caches = Json::array();
  for (const CacheLevel& cache : machine.caches)
    caches.push_back({{"name", cache.name},
                      {"usable", cache.usable},
                      {"fill_bytes_per_second", cache.fill_bytes_per_second},
                      {"write_bytes_per_second", cache.write_bytes_per_second},
                      {"source", cache.rate_source}});
  Json json = {{"when_and_how", machine.provenance.calibrated},
               {"hertz", machine.clock.hertz},
               {"peak_flops", peak_flops(machine)},
               {"overlap_exponent", machine.rates.overlap_exponent},
               {"prefetch_steps", machine.rates.prefetch_steps},
               {"caches", caches},
               {"kernels", kernels_json(machine.rates.kernels)}};
  if (machine.narrow) json["narrow_kernels"] = kernels_json(machine.narrow->kernels);
  for (const FormRate& rate : machine.rates.family) json["family"].push_back(row_of(rate));
  return json;
}

Isa read_isa(const Fields& unit) {
  if (const std::optional<Isa> isa = parse_isa(unit.text("isa"))) return *isa;
  unit.fail("isa", "avx2, avx512, avx512vl or neon");
}

void read_detected(const Fields& detected, Machine& machine) {
  machine.provenance.source = detected.text("source");
  const Fields cpu = detected.object("cpu", {"vendor", "family", "model", "stepping"});
  machine.cpu = {cpu.text("vendor"), cpu.whole("family"), cpu.whole("model"),
                 cpu.whole("stepping")};
  machine.cores = detected.count("cores");
  machine.clock.nominal_hertz = detected.non_negative("nominal_hertz");
  machine.vector = read_vector_unit(detected.object("vector", kVectorUnitFields));
  if (detected.has("narrow"))
    machine.narrow =
        NarrowUnit{.vector = read_vector_unit(detected.object("narrow", kVectorUnitFields))};
  for (const Fields& cache : detected.list("caches", kCacheFields)) {
    machine.caches.push_back(read_cache_geometry(cache));
    cache.require("name", cache_name(machine.caches.size()));
  }
  if (machine.caches.empty()) detected.fail("caches", "a list of at least one cache");
}

void read_rates(const Fields& rates, CacheLevel& cache) {
  rates.require("name", cache.name);
  cache.usable = rates.positive("usable");
  cache.fill_bytes_per_second = rates.positive("fill_bytes_per_second");
  cache.write_bytes_per_second = rates.non_negative("write_bytes_per_second");
  cache.rate_source = rates.text("source");
}

std::vector<KernelRate> read_kernels(const Fields& calibrated, const char* name) {
  std::vector<KernelRate> kernels;
  for (const Fields& kernel : calibrated.list(name, kKernelFields))
    kernels.push_back({kernel.count("pixels"), kernel.count("vectors"),
                       kernel.positive("cycles_per_step"), kernel.non_negative("cycles_per_call"),
                       kernel.non_negative("cycles_per_resume")});
  return kernels;
}

void read_family(const Fields& calibrated, Machine& machine) {
  for (const std::string& row : calibrated.texts("family")) {
    const std::optional<FormRate> rate = parse_form_rate(row);
    if (!rate)
      calibrated.fail("family", "rows like \"w7 h2 k2 r3 s1 c4 14.02 35.1\", not \"" + row + '"');
    machine.rates.family.push_back(*rate);
  }
}

void read_calibrated(const Fields& calibrated, Machine& machine) {
  machine.provenance.calibrated = calibrated.text("when_and_how");
  machine.clock.hertz = calibrated.positive("hertz");
  machine.rates.overlap_exponent = calibrated.at_least_one("overlap_exponent");
  machine.rates.prefetch_steps = calibrated.whole("prefetch_steps");
  const double peak = calibrated.positive("peak_flops");
  if (std::abs(peak / peak_flops(machine) - 1) > kPeakTolerance)
    calibrated.fail("peak_flops",
                    "2 * lanes * fma_units * hertz = " + Json(peak_flops(machine)).dump());
  const std::vector<Fields> rates = calibrated.list("caches", kRateFields);
  if (rates.size() != machine.caches.size())
    calibrated.fail("caches", "one entry for each of the " + std::to_string(machine.caches.size()) +
                                  " detected caches");
  for (std::size_t level = 0; level < rates.size(); ++level)
    read_rates(rates[level], machine.caches[level]);
  machine.rates.kernels = read_kernels(calibrated, "kernels");
  if (machine.narrow && calibrated.has("narrow_kernels"))
    machine.narrow->kernels = read_kernels(calibrated, "narrow_kernels");
  if (calibrated.has("family")) read_family(calibrated, machine);
}

}  // namespace

std::string to_json(const Machine& any) {
  const Machine machine = machine_for(any, ElementType::f32);
  const Json json = {{"format", kFormat},
                     {"name", machine.name},
                     {"detected", detected_json(machine)},
                     {"calibrated", calibrated_json(machine)},
                     {"notes", machine.provenance.notes}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

Machine machine_from_json(const std::string& text, const std::string& origin) {
  const Json json = parse_json(text, origin);
  const Fields file(json, origin, {"format", "name", "detected", "calibrated", "notes"});
  file.require("format", kFormat);
  Machine machine;
  machine.name = file.text("name");
  read_detected(file.object("detected", {"source", "cpu", "cores", "nominal_hertz", "vector",
                                         "narrow", "caches"}),
                machine);
  read_calibrated(file.object("calibrated",
                              {"when_and_how", "hertz", "peak_flops", "overlap_exponent",
                               "prefetch_steps", "caches", "kernels", "narrow_kernels", "family"}),
                  machine);
  machine.provenance.notes = file.texts("notes");
  check_machine(machine, origin);
  return machine;
}

VectorUnit read_vector_unit(const Fields& unit) {
  VectorUnit result{.isa = read_isa(unit)};
  for (const auto& [name, count] : kUnitCounts) result.*count = unit.count(name);
  result.fma_latency = unit.positive("fma_latency");
  result.source = unit.text("source");
  return result;
}

CacheLevel read_cache_geometry(const Fields& cache) {
  return {.name = cache.text("name"),
          .capacity_bytes = cache.bytes("capacity_bytes"),
          .line_bytes = cache.count("line_bytes"),
          .ways = cache.count("ways"),
          .shared_by_cores = cache.count("shared_by_cores"),
          .victim = cache.flag("victim"),
          .source = cache.text("source")};
}

}  // namespace tileplan
