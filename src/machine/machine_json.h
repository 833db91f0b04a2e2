// SPDX-License-Identifier: Apache-2.0
// Converts machines to JSON and back. Detected and calibrated numbers are two separate objects.
#pragma once

#include "json_fields.h"
#include "tileplan/machine.h"

namespace tileplan {

/// Parses a machine file. Throws Error that names the file `origin`, the field and the rule.
Machine machine_from_json(const std::string& text, const std::string& origin);

/// Reads a vector unit of a machine file or of the table of microarchitectures.
VectorUnit read_vector_unit(const Fields& unit);

/// read_vector_unit reads the fields with these names.
inline constexpr std::initializer_list<const char*> kVectorUnitFields = {
    "isa",         "lanes",       "registers",   "fma_units", "load_ports",
    "store_ports", "issue_width", "fma_latency", "source"};

/// Reads the fields of a cache that are detected: its name, its sizes and `victim`.
CacheLevel read_cache_geometry(const Fields& cache);

}  // namespace tileplan
