// SPDX-License-Identifier: Apache-2.0
// This file parses the embedded table of microarchitectures and looks up processors in it.
#include "microarchitecture.h"

#include <algorithm>

#include "check.h"
#include "embedded.h"
#include "machine_json.h"

namespace tileplan {
namespace {

constexpr const char* kTableFormat = "tileplan microarchitectures 1";

CacheDefault read_cache(const Fields& cache) {
  CacheDefault result{.level = read_cache_geometry(cache)};
  result.level.hashed = cache.has("hashed") && cache.flag("hashed");
  result.level.usable = cache.positive("usable");
  result.fill_bytes_per_cycle = cache.positive("fill_bytes_per_cycle");
  result.write_bytes_per_cycle = cache.positive("write_bytes_per_cycle");
  return result;
}

Microarchitecture read_microarchitecture(const Fields& entry) {
  Microarchitecture result;
  result.name = entry.text("name");
  for (const Fields& cpu : entry.list("cpus", {"vendor", "family", "models"}))
    result.cpus.push_back({cpu.text("vendor"), cpu.whole("family"), cpu.ranges("models")});
  for (const Fields& unit : entry.list("vectors", kVectorUnitFields))
    result.vectors.push_back(read_vector_unit(unit));
  if (entry.has("narrow"))
    result.narrow = read_vector_unit(entry.object("narrow", kVectorUnitFields));
  for (const Fields& cache :
       entry.list("caches",
                  {"name", "capacity_bytes", "line_bytes", "ways", "shared_by_cores", "victim",
                   "hashed", "usable", "fill_bytes_per_cycle", "write_bytes_per_cycle", "source"}))
    result.caches.push_back(read_cache(cache));
  result.hertz = entry.positive("hertz");
  result.overlap_exponent = entry.at_least_one("overlap_exponent");
  result.prefetch_steps = entry.whole("prefetch_steps");
  result.notes = entry.texts("notes");
  return result;
}

bool covers(const CpuModels& models, const CpuSignature& cpu) {
  return models.vendor == cpu.vendor && models.family == cpu.family &&
         std::ranges::any_of(models.models, [&](const auto& range) {
           return range.first <= cpu.model && cpu.model <= range.second;
         });
}

bool covers(const Microarchitecture& entry, const CpuSignature& cpu) {
  return entry.cpus.empty() ||
         std::ranges::any_of(entry.cpus, [&](const auto& models) { return covers(models, cpu); });
}

/// Returns the first vector unit of `entry` that runs on a host whose best ISA is `best`, or null.
const VectorUnit* best_unit(const Microarchitecture& entry, Isa best) {
  const auto found = std::ranges::find_if(
      entry.vectors, [&](Isa isa) { return isa == best || isa == Isa::avx2; }, &VectorUnit::isa);
  return found == entry.vectors.end() ? nullptr : &*found;
}

}  // namespace

std::vector<Microarchitecture> parse_microarchitectures(const std::string& text,
                                                        const std::string& origin) {
  const Json json = parse_json(text, origin);
  const Fields file(json, origin, {"source", "format", "microarchitectures"});
  file.require("format", kTableFormat);
  std::vector<Microarchitecture> result;
  for (const Fields& entry :
       file.list("microarchitectures", {"name", "cpus", "hertz", "overlap_exponent",
                                        "prefetch_steps", "vectors", "narrow", "caches", "notes"}))
    result.push_back(read_microarchitecture(entry));
  return result;
}

const std::vector<Microarchitecture>& microarchitectures() {
  // The table is never destroyed, because destructors of the caller's static objects may use it.
  static const auto& table = *new std::vector<Microarchitecture>([] {
    for (const EmbeddedFile& file : embedded_machines())
      if (file.name == kMicroarchitectureFile)
        return parse_microarchitectures(file.content, file.name);
    return std::vector<Microarchitecture>{};
  }());
  return table;
}

Core core_of(const CpuSignature& cpu, Isa best) {
  const auto& table = microarchitectures();
  const auto found = std::ranges::find_if(table, [&](const auto& entry) {
    return covers(entry, cpu) && best_unit(entry, best) != nullptr;
  });
  TILEPLAN_CHECK(found != table.end(),
                 "the table of microarchitectures ends with one for any processor");
  const VectorUnit& vector = *best_unit(*found, best);
  return {*found, vector, vector.isa == Isa::avx512 ? found->narrow : std::nullopt};
}

}  // namespace tileplan
