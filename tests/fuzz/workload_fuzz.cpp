// SPDX-License-Identifier: Apache-2.0
// Logs of oneDNN and tables of layers are read.
#include "fuzz.h"
#include "workload.h"

using namespace tileplan;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fuzz::expect_error_only(data, size,
                                 [](const std::string& text) { read_workload(text, "log"); });
}
