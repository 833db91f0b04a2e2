// SPDX-License-Identifier: Apache-2.0
// This test checks that pieces of memory are aligned, do not overlap and can be freed in any order,
// and that small pieces are neighbours.
#include "huge_pages.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

using namespace tileplan;

namespace {

struct Piece {
  char* memory = nullptr;
  std::size_t bytes = 0;
};

Piece filled(std::size_t bytes, char with) {
  const Piece piece{allocate_in_huge_pages(bytes), bytes};
  std::fill_n(piece.memory, bytes, with);
  return piece;
}

bool holds(const Piece& piece, char what) {
  return std::all_of(piece.memory, piece.memory + piece.bytes,
                     [what](char each) { return each == what; });
}

}  // namespace

TEST_CASE("huge pages: pieces of all sizes are aligned and keep their bytes until they are freed") {
  constexpr std::size_t kMany = 40;
  std::vector<Piece> pieces;
  std::size_t bytes = 1;
  for (std::size_t i = 0; i < kMany; ++i, bytes = bytes * 5 / 3 % 9'000'000 + 1)
    pieces.push_back(filled(bytes, static_cast<char>(i + 1)));
  for (std::size_t i = 0; i < kMany; ++i) {
    CHECK(reinterpret_cast<std::uintptr_t>(pieces[i].memory) % 64 == 0);
    CHECK(holds(pieces[i], static_cast<char>(i + 1)));
  }
  for (std::size_t i = 0; i < kMany; i += 2) free_in_huge_pages(pieces[i].memory);
  for (std::size_t i = 1; i < kMany; i += 2) {
    CHECK(holds(pieces[i], static_cast<char>(i + 1)));
    free_in_huge_pages(pieces[i].memory);
  }
  free_in_huge_pages(nullptr);
}

TEST_CASE("huge pages: two pieces of 16 KiB are neighbours, and each lies in one huge page") {
  // The region in use may become full between both pieces. A second attempt then uses a new region.
  for (int tries = 0; tries < 2; ++tries) {
    char* const first = allocate_in_huge_pages(16384);
    char* const second = allocate_in_huge_pages(16384);
    const bool together = second - first == 16384;
    free_in_huge_pages(first);
    free_in_huge_pages(second);
    if (together) return;
  }
  FAIL("two pieces lie apart");
}
