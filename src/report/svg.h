// SPDX-License-Identifier: Apache-2.0
// Figures as inline SVG, every axis with its unit; words and shades tell things apart, not hues.
#pragma once

#include <pugixml.hpp>
#include <string>

#include "document.h"

namespace tileplan {

/// Appends <name>text</name> and returns it.
pugi::xml_node add(pugi::xml_node parent, const char* name, const std::string& text = "");

void add_bars(pugi::xml_node parent, const BarChart& chart);
void add_roofline(pugi::xml_node parent, const Roofline& roofline);

}  // namespace tileplan
