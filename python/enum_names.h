// SPDX-License-Identifier: Apache-2.0
// Enumerators are texts in Python.
#pragma once

#include <optional>
#include <string>

#include "tileplan/isa.h"
#include "tileplan/network.h"
#include "tileplan/options.h"
#include "tileplan/plan.h"
#include "tileplan/schedule.h"

namespace tileplan::python {

/// These functions return the texts that parse_layout_choice() and parse_capacity() read.
const char* name_of(LayoutChoice layout);
const char* name_of(Capacity capacity);
/// These functions return the name of the enumerator.
const char* name_of(Verdict verdict);
const char* name_of(Kind kind);
const char* name_of(NetworkBuffer::Place place);
const char* name_of(Granularity granularity);

/// Returns the granularity with this name. For another name, throws Error with the known names.
Granularity granularity_named(const std::string& name);

}  // namespace tileplan::python
