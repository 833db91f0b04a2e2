// SPDX-License-Identifier: Apache-2.0
// This file reads and writes matrix products: "b16m128n256k512lda520".
#include "problem_text.h"
#include "shape_rules.h"

namespace tileplan {

std::span<const Key> gemm_keys() {
  static constexpr Key kKeys[] = {{"b"}, {"m"}, {"n"}, {"k"}, {"lda"}, {"ldb"}, {"ldc"}};
  return kKeys;
}

GemmShape read_gemm(std::string_view text) {
  const Descriptor descriptor = read_descriptor(text, gemm_keys());
  GemmShape shape{.name = descriptor.name,
                  .b = descriptor.get_or("b", 1),
                  .m = descriptor.required("m"),
                  .n = descriptor.required("n"),
                  .k = descriptor.required("k")};
  shape.lda = descriptor.get_or("lda", shape.k);
  shape.ldb = descriptor.get_or("ldb", shape.n);
  shape.ldc = descriptor.get_or("ldc", shape.n);
  check_shape(shape);
  return shape;
}

std::string to_string(const GemmShape& shape) {
  const auto entry = [](const char* key, std::int64_t value, std::int64_t standard) {
    return value == standard ? std::string() : key + std::to_string(value);
  };
  return type_prefix(shape.type) + entry("b", shape.b, 1) + "m" + std::to_string(shape.m) + "n" +
         std::to_string(shape.n) + "k" + std::to_string(shape.k) +
         entry("lda", shape.lda, shape.k) + entry("ldb", shape.ldb, shape.n) +
         entry("ldc", shape.ldc, shape.n);
}

}  // namespace tileplan
