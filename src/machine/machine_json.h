// SPDX-License-Identifier: Apache-2.0
// Machine <-> JSON. What was detected and what was calibrated are two objects of the file.
#pragma once

#include <string>

#include "json_fields.h"
#include "tileplan/machine.h"

namespace tileplan {

/// The machine file as text, two spaces deep. machine_from_json(to_json(m), "") == m for every
/// valid m.
std::string to_json(const Machine& machine);

/// Throws Error with `origin` (the file), the field and the rule.
Machine machine_from_json(const std::string& text, const std::string& origin);

/// The vector unit in the object `name` of `parent`; also used by the table of microarchitectures.
VectorUnit read_vector_unit(const Fields& unit);

/// Names of the fields that read_vector_unit reads.
inline constexpr std::initializer_list<const char*> kVectorUnitFields = {
    "isa",         "lanes",       "registers",   "fma_units", "load_ports",
    "store_ports", "issue_width", "fma_latency", "source"};

/// Name, sizes and `victim` of a cache: what detection can find out.
CacheLevel read_cache_geometry(const Fields& cache);

}  // namespace tileplan
