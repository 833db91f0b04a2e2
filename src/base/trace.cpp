// SPDX-License-Identifier: Apache-2.0
// This is the only file that reads TILEPLAN_TRACE.
#include "trace.h"

#include <cstdio>
#include <cstdlib>

namespace tileplan {
namespace {

const std::string& asked_for() {
  // The string is never destroyed, because destructors of static objects may still call
  // is_traced().
  static const std::string& list = *new std::string([] {
    const char* const value = std::getenv("TILEPLAN_TRACE");
    return value == nullptr ? "" : value;
  }());
  return list;
}

}  // namespace

bool lists_stage(std::string_view list, std::string_view stage) {
  const auto enclose = [](std::string_view text) {
    return std::string(1, ',').append(text).append(1, ',');
  };
  return enclose(list).find(enclose(stage)) != std::string::npos;
}

bool is_traced(std::string_view stage) { return lists_stage(asked_for(), stage); }

void trace(std::string_view stage, std::string_view fields) {
  const std::string line = std::string(stage).append("  ").append(fields).append("\n");
  std::fwrite(line.data(), 1, line.size(), stderr);
}

}  // namespace tileplan
