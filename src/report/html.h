// SPDX-License-Identifier: Apache-2.0
// Writes documents as self-contained pages, which fetch nothing.
#pragma once

#include <string>

#include "document.h"

namespace tileplan {

/// Returns a page that reads well without colour, on paper and on narrow screens. Cells with a
/// number carry it in full as `data-v`. The headings of sortable tables are buttons: a click sorts
/// numbers from the largest and texts by alphabet, a second click reverses the order.
std::string to_html(const Document& document);

}  // namespace tileplan
