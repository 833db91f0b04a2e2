// SPDX-License-Identifier: Apache-2.0
// This file converts instruction sets to text and back.
#include "tileplan/isa.h"

#include "names.h"

namespace tileplan {
namespace {

constexpr Names<Isa, 5> kIsas{{{Isa::avx2, "avx2"},
                               {Isa::avx512, "avx512"},
                               {Isa::avx512vl, "avx512vl"},
                               {Isa::neon, "neon"},
                               {Isa::amx, "amx"}}};

}  // namespace

std::string to_string(Isa isa) {
  const std::string name = name_in(kIsas, isa);
  return name.empty() ? "unknown ISA" : name;
}

std::optional<Isa> parse_isa(const std::string& text) { return find_in(kIsas, text); }

}  // namespace tileplan
