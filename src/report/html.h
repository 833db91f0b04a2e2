// SPDX-License-Identifier: Apache-2.0
// A document as one self-contained page: nothing is fetched; pugixml escapes every text.
#pragma once

#include <string>

#include "document.h"

namespace tileplan {

/// HTML that reads well without colour, on paper and on narrow screens. Cells with a number carry
/// it in full as `data-v`. A table that is sortable has buttons for headings: by number the largest
/// first, else by text; a second click turns the order around.
std::string to_html(const Document& document);

}  // namespace tileplan
