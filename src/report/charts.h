// SPDX-License-Identifier: Apache-2.0
// These functions draw inline SVG. Its colours are classes of the page, so that it can be dark.
#pragma once

#include <pugixml.hpp>

#include "document.h"

namespace tileplan {

void add_bars(pugi::xml_node parent, const BarChart& chart);

/// Requires at least one point.
void add_roofline(pugi::xml_node parent, const Roofline& roofline);

/// Returns `text` without its front when it has more than `length` characters, because the ends of
/// node names differ.
std::string end_of(const std::string& text, std::size_t length);

}  // namespace tileplan
