// SPDX-License-Identifier: Apache-2.0
// The enumerators have consecutive values from 0, so a list holds their names.
#include "enum_names.h"

#include <cstddef>

#include "tileplan/error.h"

namespace tileplan::python {
namespace {

template <class Enum, std::size_t Count>
const char* entry(const char* const (&names)[Count], Enum value) {
  const auto index = static_cast<std::size_t>(value);
  return index < Count ? names[index] : "unknown";
}

}  // namespace

const char* name_of(LayoutChoice layout) {
  static constexpr const char* kNames[] = {"any", "nhwc", "nchw", "blocked"};
  return entry(kNames, layout);
}

const char* name_of(Capacity capacity) {
  static constexpr const char* kNames[] = {"ideal", "lru2", "ways"};
  return entry(kNames, capacity);
}

const char* name_of(Verdict verdict) {
  static constexpr const char* kNames[] = {"unmeasured", "decided", "tied", "undecided"};
  return entry(kNames, verdict);
}

const char* name_of(Kind kind) {
  static constexpr const char* kNames[] = {"tile",     "rest",   "lambda",
                                           "parallel", "unroll", "vector"};
  return entry(kNames, kind);
}

const char* name_of(NetworkBuffer::Place place) {
  static constexpr const char* kNames[] = {"arena", "input", "output", "constant"};
  return entry(kNames, place);
}

const char* name_of(Granularity granularity) {
  static constexpr const char* kNames[] = {"none", "tensor", "channel"};
  return entry(kNames, granularity);
}

Granularity granularity_named(const std::string& name) {
  for (const Granularity each : {Granularity::none, Granularity::tensor, Granularity::channel})
    if (name == name_of(each)) return each;
  throw Error("granularity: " + name + "; must be none, tensor or channel");
}

}  // namespace tileplan::python
