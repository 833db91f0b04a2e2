// SPDX-License-Identifier: Apache-2.0
// This target parses arbitrary bytes as the text of a problem, and lets isl read the relations in
// it.
#include "computation.h"
#include "fuzz.h"

using namespace tileplan;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fuzz::expect_error_only(
      data, size, [](const std::string& text) { computation_of(parse_problem(text)); });
}
