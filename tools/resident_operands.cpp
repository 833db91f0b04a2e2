// SPDX-License-Identifier: Apache-2.0
// This program tests whether a product is faster when microkernels keep the matrix A or B in
// registers instead of the sums, the matrix C. It times both with AVX-512, in pairs with code of
// `tileplan emit`, which keeps the sums in registers. No time includes packing.
//
// tileplan emit m784n512k128 --isa avx512 -o k.c && gcc -O3 -march=native -c k.c
// g++ -O3 -march=native -std=c++20 -I. -DM=784 -DN=512 -DK=128 resident_operands.cpp k.o && ./a.out
#include <immintrin.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

#include "k.h"

namespace {

constexpr int kLanes = 16;
constexpr double kSecondsPerCase = 0.3, kSecondsPerSample = 3e-4;

struct Free {
  void operator()(float* memory) const { std::free(memory); }
};
using Floats = std::unique_ptr<float, Free>;

Floats floats(std::size_t count) {
  Floats memory(
      static_cast<float*>(std::aligned_alloc(64, (count * sizeof(float) + 127) / 64 * 64)));
  std::fill_n(memory.get(), count, 0.0f);
  return memory;
}

struct Product {
  Floats a = floats(M * K), b = floats(K * N), c = floats(M * N);
};

/// Describes where a pass over kr reduction steps reads its sums and where it writes them. The
/// first pass reads none, and the last one writes to C.
struct Pass {
  bool first, last;
};

/// Adds x(r, v) y(r, v) over all reduction steps r to sum v, for each of `Count` vectors v. Sums
/// begin at 0 in the first pass, and are loaded from from(v) in others. They are written to to(v).
template <int Count, int Steps, class X, class Y, class Place>
void add_products(bool first, X x, Y y, Place from, Place to) {
  __m512 sums[Count];
  for (int v = 0; v < Count; ++v) sums[v] = first ? _mm512_setzero_ps() : _mm512_load_ps(from(v));
#pragma GCC unroll 16
  for (int r = 0; r < Steps; ++r)
    for (int v = 0; v < Count; ++v) sums[v] = _mm512_fmadd_ps(x(r, v), y(r, v), sums[v]);
  for (int v = 0; v < Count; ++v) _mm512_storeu_ps(to(v), sums[v]);
}

/// Describes the place of sums: sum v begins at `begin` + v * `pitch`.
struct Sums {
  float* begin;
  int pitch;
  float* operator()(int v) const { return begin + v * pitch; }
};

/// Keeps kr x nr elements of B in registers, nr = 16 Vectors, and passes over the rows of a panel
/// of C, which a buffer of mc rows holds. A is packed in panels of kr columns, B in panels of nr.
template <int Kr, int Vectors>
struct ResidentB {
  static constexpr int kNr = kLanes * Vectors;
  static constexpr bool kFits = K % Kr == 0 && N % kNr == 0;
  int mc;
  Floats a = floats(M * K), b = floats(K * N), panel = floats(static_cast<std::size_t>(mc) * kNr);

  ResidentB(const Product& product, int rows) : mc(rows) {
    for (int k = 0; k < K; ++k) {
      for (int i = 0; i < M; ++i)
        a.get()[(k / Kr * M + i) * Kr + k % Kr] = product.a.get()[i * K + k];
      for (int j = 0; j < N; ++j)
        b.get()[(j / kNr * K + k) * kNr + j % kNr] = product.b.get()[k * N + j];
    }
  }

  void rows(Product& product, int i0, int j0, int k0) const {
    __m512 held[Kr][Vectors];
    for (int r = 0; r < Kr; ++r)
      for (int v = 0; v < Vectors; ++v)
        held[r][v] = _mm512_load_ps(b.get() + (j0 / kNr * K + k0 + r) * kNr + v * kLanes);
    const Pass pass{k0 == 0, k0 + Kr == K};
    for (int i = i0; i < std::min(i0 + mc, M); ++i) {
      const float* const row = a.get() + (k0 / Kr * M + i) * Kr;
      const Sums from{panel.get() + (i - i0) * kNr, kLanes};
      const Sums to{pass.last ? product.c.get() + i * N + j0 : from.begin, kLanes};
      const auto broadcast = [&](int r, int) { return _mm512_set1_ps(row[r]); };
      add_products<Vectors, Kr>(
          pass.first, broadcast, [&](int r, int v) { return held[r][v]; }, from, to);
    }
  }

  void run(Product& product) const {
    for (int j = 0; j < N; j += kNr)
      for (int i = 0; i < M; i += mc)
        for (int k = 0; k < K; k += Kr) rows(product, i, j, k);
  }
};

/// Keeps mr x kr elements of A in registers, each in all lanes, and passes over nc columns of a
/// block of C. A buffer of at most 24 KiB, or of mr rows if these are larger, holds the block. B is
/// packed in blocks of nc columns.
template <int Mr, int Kr>
struct ResidentA {
  static constexpr bool kFits = M % Mr == 0 && K % Kr == 0;
  int nc, mc = std::max(Mr, 24 * 1024 / 4 / nc / Mr * Mr);
  Floats b = floats(K * N), block = floats(static_cast<std::size_t>(mc) * nc);

  ResidentA(const Product& product, int columns) : nc(columns) {
    for (int k = 0; k < K; ++k)
      for (int j = 0; j < N; ++j)
        b.get()[(j / nc * K + k) * nc + j % nc] = product.b.get()[k * N + j];
  }

  void columns(Product& product, int i0, int i, int j0, int k0) const {
    __m512 held[Mr][Kr];
    for (int x = 0; x < Mr; ++x)
      for (int r = 0; r < Kr; ++r)
        held[x][r] = _mm512_set1_ps(product.a.get()[(i + x) * K + k0 + r]);
    const Pass pass{k0 == 0, k0 + Kr == K};
    const float* const rows = b.get() + (j0 / nc * K + k0) * nc;
    for (int j = 0; j < nc; j += kLanes) {
      const Sums from{block.get() + (i - i0) * nc + j, nc};
      const Sums to = pass.last ? Sums{product.c.get() + i * N + j0 + j, N} : from;
      const auto row = [&](int r, int) { return _mm512_load_ps(rows + r * nc + j); };
      add_products<Mr, Kr>(
          pass.first, [&](int r, int x) { return held[x][r]; }, row, from, to);
    }
  }

  void run(Product& product) const {
    for (int j = 0; j < N; j += nc)
      for (int i0 = 0; i0 < M; i0 += mc)
        for (int k = 0; k < K; k += Kr)
          for (int i = i0; i < std::min(i0 + mc, M); i += Mr) columns(product, i0, i, j, k);
  }
};

template <class Run>
double seconds(int times, const Run& run) {
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < times; ++i) run();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() / times;
}

/// Prints the median of the ratios of adjacent pairs, with its 95 % interval.
template <class Other>
void compare(const char* what, int mr, int kr, int size, Product& product, const Other& other) {
  const Floats packed = floats(tileplan_packed_floats), expected = floats(M * N);
  tileplan_pack(product.b.get(), packed.get());
  const auto keep_c = [&] { tileplan_run(product.a.get(), packed.get(), product.c.get()); };
  const auto keep_other = [&] { other.run(product); };
  keep_c();
  std::memcpy(expected.get(), product.c.get(), M * N * sizeof(float));
  keep_other();
  float error = 0;
  for (int i = 0; i < M * N; ++i)
    error = std::max(error, std::abs(expected.get()[i] - product.c.get()[i]));
  const int times = std::max(1, static_cast<int>(kSecondsPerSample / seconds(1, keep_c)));
  std::vector<double> ratios;
  for (double spent = 0; spent < kSecondsPerCase || ratios.size() < 15;) {
    const double ours = seconds(times, keep_c), theirs = seconds(times, keep_other);
    ratios.push_back(theirs / ours);
    spent += times * (ours + theirs);
  }
  std::sort(ratios.begin(), ratios.end());
  const auto at = [&](double place) { return ratios[static_cast<std::size_t>(place)]; };
  const double count = static_cast<double>(ratios.size()), half = 0.98 * std::sqrt(count);
  std::printf(
      "%s, %d x %d in registers, %d: %.3f [%.3f, %.3f] of the time of C in registers, %zu "
      "pairs, largest difference %g\n",
      what, mr, kr, size, at(count / 2), at(std::max(0.0, count / 2 - half)),
      at(std::min(count - 1, count / 2 + half)), ratios.size(), error);
}

template <int Kr, int Vectors>
void compare_b(Product& product) {
  if constexpr (ResidentB<Kr, Vectors>::kFits)
    for (const int mc : {64, 128, 256, 1024})
      compare("B, rows of C", Kr, Vectors * kLanes, mc, product,
              ResidentB<Kr, Vectors>(product, mc));
}

template <int Mr, int Kr>
void compare_a(Product& product) {
  if constexpr (ResidentA<Mr, Kr>::kFits)
    for (const int nc : {64, 256})
      if (N % nc == 0)
        compare("A, columns of C", Mr, Kr, nc, product, ResidentA<Mr, Kr>(product, nc));
}

}  // namespace

int main() {
  Product product;
  for (int i = 0; i < M * K; ++i) product.a.get()[i] = static_cast<float>(i % 97 % 17) - 8;
  for (int i = 0; i < K * N; ++i) product.b.get()[i] = static_cast<float>(i % 89 % 19) - 9;
  compare_b<8, 2>(product);
  compare_b<4, 4>(product);
  compare_b<16, 1>(product);
  compare_a<4, 4>(product);
  compare_a<2, 8>(product);
  compare_a<6, 4>(product);
}
