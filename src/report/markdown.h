// SPDX-License-Identifier: Apache-2.0
// A document as Markdown.
#pragma once

#include <string>

#include "document.h"

namespace tileplan {

/// Figures are left out: their numbers are in the tables.
std::string to_markdown(const Document& document);

}  // namespace tileplan
