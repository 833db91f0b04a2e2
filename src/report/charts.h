// SPDX-License-Identifier: Apache-2.0
// Draws bar charts and rooflines as inline SVG. Words and shades tell things apart, not hues.
#pragma once

#include <pugixml.hpp>

#include "document.h"

namespace tileplan {

void add_bars(pugi::xml_node parent, const BarChart& chart);

/// Requires at least one point.
void add_roofline(pugi::xml_node parent, const Roofline& roofline);

}  // namespace tileplan
