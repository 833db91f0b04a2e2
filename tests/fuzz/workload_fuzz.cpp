// SPDX-License-Identifier: Apache-2.0
// This target reads arbitrary bytes as a verbose log of oneDNN or as lines of benchdnn.
#include "fuzz.h"
#include "workload.h"

using namespace tileplan;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fuzz::expect_error_only(data, size,
                                 [](const std::string& text) { read_workload(text, "log"); });
}
