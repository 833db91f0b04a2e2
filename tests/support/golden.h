// SPDX-License-Identifier: Apache-2.0
// Golden files hold expected texts, so that a change of such a text is noticed. Tests write new
// golden files when the environment sets TILEPLAN_UPDATE_GOLDEN.
#pragma once

#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "temporary_folder.h"

namespace tileplan::test {

/// Compares `text` with the file tests/golden/`name`. Writes the file first when the environment
/// sets TILEPLAN_UPDATE_GOLDEN.
inline void check_golden(const std::string& name, const std::string& text) {
  const std::filesystem::path path = std::filesystem::path(TILEPLAN_GOLDEN) / name;
  if (std::getenv("TILEPLAN_UPDATE_GOLDEN") != nullptr) {
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << text;
  }
  CAPTURE(name);
  REQUIRE_MESSAGE(std::filesystem::exists(path),
                  "no golden file; TILEPLAN_UPDATE_GOLDEN=1 writes it");
  CHECK(text == content_of(path.string()));
}

}  // namespace tileplan::test
