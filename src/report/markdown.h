// SPDX-License-Identifier: Apache-2.0
// Writes documents as Markdown.
#pragma once

#include <string>

#include "document.h"

namespace tileplan {

/// Returns `document` as Markdown. Tables with the same numbers stand for its figures.
std::string to_markdown(const Document& document);

}  // namespace tileplan
