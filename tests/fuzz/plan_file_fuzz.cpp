// SPDX-License-Identifier: Apache-2.0
// This target reads arbitrary bytes as a plan file.
#include "fuzz.h"
#include "memory_file.h"
#include "tileplan/plan.h"

using namespace tileplan;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fuzz::expect_error_only(data, size,
                                 [](const std::string& text) { load_plan(fuzz::path_of(text)); });
}
