// SPDX-License-Identifier: Apache-2.0
// Detected and calibrated numbers of a machine are two objects of its JSON file.
#pragma once

#include "json_fields.h"
#include "tileplan/machine.h"

namespace tileplan {

/// Parses a machine file. Throws Error with `origin` (the file), the field and the rule.
Machine machine_from_json(const std::string& text, const std::string& origin);

/// Reads the object of a vector unit, in machine files and in the table of microarchitectures.
VectorUnit read_vector_unit(const Fields& unit);

/// read_vector_unit reads the fields with these names.
inline constexpr std::initializer_list<const char*> kVectorUnitFields = {
    "isa",         "lanes",       "registers",   "fma_units", "load_ports",
    "store_ports", "issue_width", "fma_latency", "source"};

/// Reads the fields of a cache that detection reports, which are name, sizes and `victim`.
CacheLevel read_cache_geometry(const Fields& cache);

}  // namespace tileplan
