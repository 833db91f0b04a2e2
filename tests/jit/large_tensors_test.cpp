// SPDX-License-Identifier: Apache-2.0
// This test runs kernels on tensors of more than 2^31 bytes. Only a few of their pages take memory.
#include <doctest/doctest.h>
#include <sys/mman.h>

#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "computation.h"
#include "random_conv.h"
#include "tileplan/kernel.h"

using namespace tileplan;

namespace {

// Rows begin this many floats apart, so that row 8 begins 2^31 bytes after row 0.
constexpr std::int64_t kRow = std::int64_t{1} << 26;

class Sparse {
 public:
  explicit Sparse(std::size_t floats) : bytes_(floats * sizeof(float)) {
    pages_ = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (pages_ == MAP_FAILED) throw std::runtime_error("mmap failed");
  }
  Sparse(const Sparse&) = delete;
  Sparse& operator=(const Sparse&) = delete;
  ~Sparse() { munmap(pages_, bytes_); }

  std::span<float> floats() const { return {static_cast<float*>(pages_), bytes_ / sizeof(float)}; }
  float& at(std::int64_t row, std::int64_t column) const {
    return floats()[static_cast<std::size_t>(row * kRow + column)];
  }

 private:
  std::size_t bytes_;
  void* pages_ = nullptr;
};

Kernel compiled(const GemmShape& shape, const char* schedule) {
  Plan plan;
  plan.problem = shape;
  plan.machine = test::toy_machine(Isa::avx2);
  plan.candidates.push_back(
      {.schedule = parse_schedule(schedule), .prediction = {}, .measurement = {}});
  return compile(plan);
}

}  // namespace

TEST_CASE("kernels reach rows beyond 2^31 bytes of each tensor") {
  const GemmShape shape{.m = 12, .n = 16, .k = 16, .lda = kRow, .ldb = kRow, .ldc = kRow};
  const Kernel kernel = compiled(shape, "[T(3,i), T(16,k), U(4,i), U(2,j), V(j)]");
  const Sparse a(kernel.input_size()), b(kernel.weights_size()), c(kernel.output_size());
  CHECK(c.floats().size_bytes() > std::size_t{1} << 31);
  for (std::int64_t row = 0; row < 16; ++row)
    for (std::int64_t column = 0; column < 16; ++column) {
      if (row < 12) a.at(row, column) = static_cast<float>(row);
      b.at(row, column) = static_cast<float>(row * column);
    }
  kernel.run(a.floats(), kernel.pack_weights(b.floats()), c.floats());
  // Each output is the sum over k of i * j * k, which is i * j * (0 + 1 + ... + 15).
  for (std::int64_t i = 0; i < 12; ++i)
    for (std::int64_t j = 0; j < 16; ++j) CHECK(c.at(i, j) == static_cast<float>(i * j * 120));
}

TEST_CASE("taps of a filter beyond 2^31 bytes of each other") {
  const ConvShape shape = parse_conv("mb1ic4ih268435457iw1oc8oh1ow1kh2kw1dh268435455ph0pw0");
  Plan plan;
  plan.problem = shape;
  plan.machine = test::toy_machine(Isa::avx2);
  for (const char* const loops : {"[T(2,r), T(4,c), V(k)]", "[T(4,c), T(2,r), V(k)]"}) {
    plan.candidates = {{.schedule = parse_schedule(std::string(loops) + " in=nhwc out=nhwc"),
                        .prediction = {},
                        .measurement = {}}};
    const Kernel kernel = compile(plan);
    const Sparse input(kernel.input_size());
    input.floats().front() = 3;
    input.floats().back() = 5;
    std::vector<float> weights(kernel.weights_size(), 1), output(8);
    kernel.run(input.floats(), kernel.pack_weights(weights), output);
    CHECK(output == std::vector<float>(8, 8));
  }
}

TEST_CASE("the last of 4096 images of 128 x 128 x 512 ends 2^35 elements after the first begins") {
  const Computation conv = computation_of(parse_conv("mb4096ic512ih128oc64kh1"));
  for (const Layout layout : {Layout::nhwc, Layout::nchw, Layout::nChw16c}) {
    const TensorLayout input = layout_of(conv, Operand::input, layout);
    std::int64_t last = 0;
    for (std::size_t axis = 0; axis < input.axes.size(); ++axis)
      last += input.axes[axis].offset(conv.tensors.front().data[axis].extent - 1);
    CHECK(last + 1 == std::int64_t{1} << 35);
    CHECK(input.elements == last + 1);
  }
}
