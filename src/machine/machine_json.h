// SPDX-License-Identifier: Apache-2.0
// This file converts machines to JSON and back. Detected and calibrated numbers are in separate
// objects.
#pragma once

#include "json_fields.h"
#include "tileplan/machine.h"

namespace tileplan {

/// Parses a machine file. Throws Error with the file name `origin` when it is not JSON, or with the
/// field and the rule when a field is missing, unknown or invalid.
Machine machine_from_json(const std::string& text, const std::string& origin);

VectorUnit read_vector_unit(const Fields& unit);

/// Names the fields of a vector unit in JSON.
inline constexpr std::initializer_list<const char*> kVectorUnitFields = {
    "isa",         "lanes",       "registers", "fma_units",    "load_ports", "store_ports",
    "issue_width", "fma_latency", "source",    "dot_integers", "dot_bf16"};

/// Reads the detected fields of a cache: its name, sizes, ways, sharing cores, `victim` and source.
CacheLevel read_cache_geometry(const Fields& cache);

}  // namespace tileplan
