// SPDX-License-Identifier: Apache-2.0
// This file writes and reads the objects of a machine file, by functions of their own or by tables
// of members.
#include "machine_json.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "json_members.h"
#include "machine_rules.h"
#include "names.h"
#include "overhead_names.h"

namespace tileplan {
namespace {

constexpr const char* kMachineFormat = "tileplan machine 1";
constexpr double kPeakTolerance = 1e-3;  ///< A peak that a user wrote into a file may be rounded.

constexpr std::tuple kKernelMembers{
    JsonMember{"pixels", &KernelRate::pixels, &Fields::count},
    JsonMember{"vectors", &KernelRate::vectors, &Fields::count},
    JsonMember{"cycles_per_step", &KernelRate::cycles_per_step, &Fields::positive},
    JsonMember{"cycles_per_call", &KernelRate::cycles_per_call, &Fields::non_negative},
    JsonMember{"cycles_per_resume", &KernelRate::cycles_per_resume, &Fields::non_negative},
    JsonMember{"cycles_per_short_call", &KernelRate::cycles_per_short_call, &Fields::non_negative}};

constexpr std::tuple kGeometryMembers{
    JsonMember{"name", &CacheLevel::name, &Fields::text},
    JsonMember{"capacity_bytes", &CacheLevel::capacity_bytes, &Fields::bytes},
    JsonMember{"line_bytes", &CacheLevel::line_bytes, &Fields::count},
    JsonMember{"ways", &CacheLevel::ways, &Fields::count},
    JsonMember{"shared_by_cores", &CacheLevel::shared_by_cores, &Fields::count},
    JsonMember{"victim", &CacheLevel::victim, &Fields::flag},
    JsonMember{"source", &CacheLevel::source, &Fields::text}};

constexpr std::tuple kSignatureMembers{
    JsonMember{"vendor", &CpuSignature::vendor, &Fields::text},
    JsonMember{"family", &CpuSignature::family, &Fields::whole},
    JsonMember{"model", &CpuSignature::model, &Fields::whole},
    JsonMember{"stepping", &CpuSignature::stepping, &Fields::whole}};

constexpr std::tuple kRateMembers{
    JsonMember{"name", &CacheLevel::name},
    JsonMember{"hashed", &CacheLevel::hashed},
    JsonMember{"usable", &CacheLevel::usable},
    JsonMember{"fill_bytes_per_second", &CacheLevel::fill_bytes_per_second},
    JsonMember{"write_bytes_per_second", &CacheLevel::write_bytes_per_second},
    JsonMember{"conflict_bytes_per_second", &CacheLevel::conflict_bytes_per_second},
    JsonMember{"source", &CacheLevel::rate_source}};

constexpr std::initializer_list<const char*> kTransformFields = {
    "outputs", "taps", "in_first", "out_first", "in_second", "out_second"};

constexpr std::initializer_list<const char*> kOverheadFields = {"dispatch_cycles",
                                                                "run_cycles",
                                                                "packed_row_cycles",
                                                                "packed_pixel_cycles",
                                                                "packed_channel_cycles",
                                                                "transposed_cycles",
                                                                "near_row_cycles",
                                                                "near_prefetched_row_cycles",
                                                                "crowded_row_cycles",
                                                                "crowded_prefetched_row_cycles",
                                                                "apart_row_cycles",
                                                                "apart_prefetched_row_cycles",
                                                                "many_pages_row_cycles",
                                                                "prefetch_cycles",
                                                                "short_rows_from_second_level",
                                                                "short_rows_from_cache",
                                                                "short_rows_from_memory",
                                                                "exposed_share",
                                                                "start_cycles",
                                                                "fork_seconds"};
static_assert(kOverheadFields.size() == std::size(kOverheads));

constexpr std::pair<const char*, double TransformRate::*> kTransformCycles[] = {
    {"in_first", &TransformRate::in_first},
    {"out_first", &TransformRate::out_first},
    {"in_second", &TransformRate::in_second},
    {"out_second", &TransformRate::out_second}};

constexpr std::pair<const char*, int VectorUnit::*> kUnitCounts[] = {
    {"lanes", &VectorUnit::lanes},
    {"registers", &VectorUnit::registers},
    {"fma_units", &VectorUnit::fma_units},
    {"load_ports", &VectorUnit::load_ports},
    {"store_ports", &VectorUnit::store_ports},
    {"issue_width", &VectorUnit::issue_width}};

constexpr Names<Arithmetic, 6> kArithmetics{{{Arithmetic::dot_bf16, "dot_bf16"},
                                             {Arithmetic::dot_bytes, "dot_bytes"},
                                             {Arithmetic::dot_s16, "dot_s16"},
                                             {Arithmetic::multiply_s32, "multiply_s32"},
                                             {Arithmetic::tile_bf16, "tile_bf16"},
                                             {Arithmetic::tile_bytes, "tile_bytes"}}};

Json to_json(const VectorUnit& unit) {
  Json json = {{"isa", to_string(unit.isa)}};
  for (const auto& [name, count] : kUnitCounts) json[name] = unit.*count;
  json["fma_latency"] = unit.fma_latency;
  json["dot_integers"] = unit.dots.integers;
  json["dot_bf16"] = unit.dots.bf16;
  json["source"] = unit.source;
  return json;
}

Json detected_json(const Machine& machine) {
  Json json = {{"source", machine.provenance.source},
               {"cpu", members_json(kSignatureMembers, machine.cpu)},
               {"cores", machine.cores},
               {"nominal_hertz", machine.clock.nominal_hertz},
               {"vector", to_json(machine.vector)},
               {"caches", members_json(kGeometryMembers, machine.caches)}};
  if (machine.narrow) json["narrow"] = to_json(machine.narrow->vector);
  if (machine.tiles) json["tiles"] = to_json(*machine.tiles);
  return json;
}

Json transforms_json(const std::vector<TransformRate>& transforms) {
  Json rows = Json::array();
  for (const TransformRate& rate : transforms) {
    Json row = {{"outputs", rate.outputs}, {"taps", rate.taps}};
    for (const auto& [name, cycles] : kTransformCycles) row[name] = rate.*cycles;
    rows.push_back(row);
  }
  return rows;
}

Json others_json(const std::vector<ArithmeticRates>& others) {
  Json rows = Json::array();
  for (const ArithmeticRates& each : others)
    rows.push_back({{"arithmetic", name_in(kArithmetics, each.arithmetic)},
                    {"steps_per_cycle", each.steps_per_cycle},
                    {"kernels", members_json(kKernelMembers, each.kernels)}});
  return rows;
}

/// Returns the overheads that differ from the defaults.
Json overheads_json(Overheads overheads) {
  Json json = Json::object();
  Overheads defaults;
  for (const NamedOverhead& each : kOverheads)
    if (each.of(overheads) != each.of(defaults)) json[each.name] = each.of(overheads);
  return json;
}

Json calibrated_json(const Machine& machine) {
  Json json = {{"when_and_how", machine.provenance.calibrated},
               {"protocol", machine.provenance.protocol},
               {"hertz", machine.clock.hertz},
               {"peak_flops", peak_flops(machine)},
               {"overlap_exponent", machine.rates.overlap_exponent},
               {"prefetch_steps", machine.rates.prefetch_steps},
               {"streamed_bytes_per_second", machine.rates.streamed_bytes_per_second},
               {"caches", members_json(kRateMembers, machine.caches)},
               {"kernels", members_json(kKernelMembers, machine.rates.kernels)},
               {"other_kernels", others_json(machine.rates.others)}};
  write_member(json, "near_prefetch_steps", machine.rates.near_prefetch_steps);
  if (machine.rates.joint_bytes_per_second > 0)
    json["joint_bytes_per_second"] = machine.rates.joint_bytes_per_second;
  if (machine.rates.overheads != Overheads{})
    json["overheads"] = overheads_json(machine.rates.overheads);
  if (!machine.rates.transforms.empty())
    json["transforms"] = transforms_json(machine.rates.transforms);
  if (machine.narrow)
    json["narrow_kernels"] = members_json(kKernelMembers, machine.narrow->kernels);
  return json;
}

Isa read_isa(const Fields& unit) {
  if (const std::optional<Isa> isa = parse_isa(unit.text("isa"))) return *isa;
  unit.fail("isa", "avx2, avx512, avx512vl, neon or amx");
}

void read_detected(const Fields& detected, Machine& machine) {
  machine.provenance.source = detected.text("source");
  read_object(kSignatureMembers, detected, "cpu", machine.cpu);
  machine.cores = detected.count("cores");
  machine.clock.nominal_hertz = detected.non_negative("nominal_hertz");
  machine.vector = read_vector_unit(detected.object("vector", kVectorUnitFields));
  if (detected.has("narrow"))
    machine.narrow =
        NarrowUnit{.vector = read_vector_unit(detected.object("narrow", kVectorUnitFields))};
  if (detected.has("tiles"))
    machine.tiles = read_vector_unit(detected.object("tiles", kVectorUnitFields));
  for (const Fields& cache : listed(kGeometryMembers, detected, "caches")) {
    machine.caches.push_back(read_cache_geometry(cache));
    cache.require("name", cache_name(machine.caches.size()));
  }
  if (machine.caches.empty()) detected.fail("caches", "a list of at least one cache");
}

void read_rates(const Fields& rates, CacheLevel& cache) {
  rates.require("name", cache.name);
  if (rates.has("hashed")) cache.hashed = rates.flag("hashed");
  cache.usable = rates.positive("usable");
  cache.fill_bytes_per_second = rates.positive("fill_bytes_per_second");
  cache.write_bytes_per_second = rates.non_negative("write_bytes_per_second");
  if (rates.has("conflict_bytes_per_second"))
    cache.conflict_bytes_per_second = rates.non_negative("conflict_bytes_per_second");
  cache.rate_source = rates.text("source");
}

/// Reads a pair of sizes, along the height and along the width.
std::array<int, 2> read_sizes(const Fields& transform, const char* name) {
  const std::vector<double> sizes = transform.non_negatives(name);
  const auto is_size = [](double size) {
    return size >= 1 && size <= 8 && size == std::floor(size);
  };
  if (sizes.size() != 2 || !std::ranges::all_of(sizes, is_size))
    transform.fail(name, "two whole numbers from 1 to 8");
  return {static_cast<int>(sizes[0]), static_cast<int>(sizes[1])};
}

std::vector<TransformRate> read_transforms(const Fields& calibrated) {
  std::vector<TransformRate> transforms;
  for (const Fields& each : calibrated.list("transforms", kTransformFields)) {
    TransformRate rate{.outputs = read_sizes(each, "outputs"), .taps = read_sizes(each, "taps")};
    for (const auto& [name, cycles] : kTransformCycles) rate.*cycles = each.positive(name);
    transforms.push_back(rate);
  }
  return transforms;
}

std::vector<ArithmeticRates> read_others(const Fields& calibrated) {
  std::vector<ArithmeticRates> others;
  for (const Fields& each :
       calibrated.list("other_kernels", {"arithmetic", "steps_per_cycle", "kernels"})) {
    const auto arithmetic = find_in(kArithmetics, each.text("arithmetic"));
    if (!arithmetic) each.fail("arithmetic", list_of(kArithmetics));
    others.push_back({*arithmetic, each.positive("steps_per_cycle"), {}});
    read_list(kKernelMembers, each, "kernels", others.back().kernels);
  }
  return others;
}

void read_overheads(const Fields& calibrated, Overheads& overheads) {
  const Fields given = calibrated.object("overheads", kOverheadFields);
  for (const NamedOverhead& each : kOverheads)
    if (given.has(each.name)) each.of(overheads) = given.non_negative(each.name);
}

void read_calibrated(const Fields& calibrated, Machine& machine) {
  machine.provenance.calibrated = calibrated.text("when_and_how");
  machine.clock.hertz = calibrated.positive("hertz");
  machine.rates.overlap_exponent = calibrated.at_least_one("overlap_exponent");
  machine.rates.prefetch_steps = calibrated.whole("prefetch_steps");
  if (calibrated.has("near_prefetch_steps"))
    machine.rates.near_prefetch_steps = calibrated.whole("near_prefetch_steps");
  if (calibrated.has("streamed_bytes_per_second"))
    machine.rates.streamed_bytes_per_second = calibrated.non_negative("streamed_bytes_per_second");
  if (calibrated.has("joint_bytes_per_second"))
    machine.rates.joint_bytes_per_second = calibrated.non_negative("joint_bytes_per_second");
  if (calibrated.has("overheads")) read_overheads(calibrated, machine.rates.overheads);
  if (calibrated.has("protocol")) machine.provenance.protocol = calibrated.whole("protocol");
  const double peak = calibrated.positive("peak_flops");
  if (std::abs(peak / peak_flops(machine) - 1) > kPeakTolerance)
    calibrated.fail("peak_flops",
                    "2 * lanes * fma_units * hertz = " + Json(peak_flops(machine)).dump());
  const std::vector<Fields> rates = listed(kRateMembers, calibrated, "caches");
  if (rates.size() != machine.caches.size())
    calibrated.fail("caches", "one entry for each of the " + std::to_string(machine.caches.size()) +
                                  " detected caches");
  for (std::size_t level = 0; level < rates.size(); ++level)
    read_rates(rates[level], machine.caches[level]);
  read_list(kKernelMembers, calibrated, "kernels", machine.rates.kernels);
  if (calibrated.has("transforms")) machine.rates.transforms = read_transforms(calibrated);
  if (calibrated.has("other_kernels")) machine.rates.others = read_others(calibrated);
  if (machine.narrow && calibrated.has("narrow_kernels"))
    read_list(kKernelMembers, calibrated, "narrow_kernels", machine.narrow->kernels);
}

}  // namespace

std::string to_json(const Machine& any) {
  const Machine machine = machine_for(any, ElementType::f32);
  Json json = {{"format", kMachineFormat},
               {"name", machine.name},
               {"detected", detected_json(machine)},
               {"calibrated", calibrated_json(machine)},
               {"notes", machine.provenance.notes}};
  if (!machine.provenance.refusal.empty()) json["refusal"] = machine.provenance.refusal;
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

Machine machine_from_json(const std::string& text, const std::string& origin) {
  const Json json = parse_json(text, origin);
  const Fields file(json, origin, {"format", "name", "detected", "calibrated", "notes", "refusal"});
  file.require("format", kMachineFormat);
  Machine machine;
  machine.name = file.text("name");
  read_detected(file.object("detected", {"source", "cpu", "cores", "nominal_hertz", "vector",
                                         "narrow", "tiles", "caches"}),
                machine);
  read_calibrated(
      file.object("calibrated",
                  {"when_and_how", "protocol", "hertz", "peak_flops", "overlap_exponent",
                   "prefetch_steps", "near_prefetch_steps", "streamed_bytes_per_second",
                   "joint_bytes_per_second", "overheads", "caches", "kernels", "transforms",
                   "narrow_kernels", "other_kernels", "family"}),
      machine);
  machine.provenance.notes = file.texts("notes");
  if (file.has("refusal")) machine.provenance.refusal = file.text("refusal");
  check_machine(machine, origin);
  return machine;
}

VectorUnit read_vector_unit(const Fields& unit) {
  VectorUnit result{.isa = read_isa(unit)};
  for (const auto& [name, count] : kUnitCounts) result.*count = unit.count(name);
  result.fma_latency = unit.positive("fma_latency");
  result.source = unit.text("source");
  const auto has = [&](const char* name) { return unit.has(name) && unit.flag(name); };
  result.dots = {.integers = has("dot_integers"), .bf16 = has("dot_bf16")};
  return result;
}

CacheLevel read_cache_geometry(const Fields& cache) {
  CacheLevel level;
  read_members(kGeometryMembers, cache, level);
  return level;
}

}  // namespace tileplan
