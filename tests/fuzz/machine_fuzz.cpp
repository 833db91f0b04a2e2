// SPDX-License-Identifier: Apache-2.0
// This target checks that a machine file which can be read is equal after it was written and read
// again.
#include "fuzz.h"
#include "machine_json.h"

using namespace tileplan;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fuzz::expect_error_only(data, size, [](const std::string& text) {
    const Machine machine = machine_from_json(text, "file");
    TILEPLAN_CHECK(machine_from_json(to_json(machine), "file") == machine,
                   "a machine is read back");
  });
}
