// SPDX-License-Identifier: Apache-2.0
// This test checks which instructions compilers make of emitted C.
#include <doctest/doctest.h>

#include <cstdlib>
#include <string>

#include "emitted_code.h"
#include "target.h"
#include "tileplan/emit.h"

using namespace tileplan;
using namespace tileplan::test::emitted;

namespace {

std::string assembly_of(const TemporaryFolder& folder, std::string command,
                        const std::string& text) {
  command.append(" -std=c11 -O2 -S ").append(folder.write("tile.c", text));
  command.append(" -o ").append(folder / "tile.s");
  REQUIRE(std::system(command.c_str()) == 0);
  return content_of(folder / "tile.s");
}

}  // namespace

TEST_CASE("AVX-512 keeps each broadcast in a register, and uses it in whole-register FMAs") {
  const TemporaryFolder folder;
  const std::string text = emitted("mb1ic64ih14oc32oh14kh3ph1",
                                   "[T(14,h), T(3,r), T(3,s), T(64,c), U(14,w), U(2,k), V(k)] "
                                   "in=nhwc out=nhwc",
                                   Target::avx512);
  for (const std::string& compiler : compilers()) {
    CAPTURE(compiler);
    const std::string assembly = assembly_of(folder, compiler, text);
    CHECK(assembly.find("vfmadd") != std::string::npos);
    CHECK(assembly.find("{1to16}") == std::string::npos);
  }
}

TEST_CASE("AVX-512 code has whole vectors where the compiler prefers shorter ones") {
  const TemporaryFolder folder;
  const std::string text = emitted(
      "mb1ic64ih14oc32oh14kh3ph1",
      "[T(2,k), T(14,h), T(3,r), T(3,s), T(64,c), U(14,w), V(k)] in=nhwc out=nhwc", Target::avx512);
  for (const std::string& compiler : compilers()) {
    CAPTURE(compiler);
    const std::string assembly = assembly_of(folder, compiler + " -march=skylake-avx512", text);
    const std::size_t multiply_add = assembly.find("vfmadd");
    REQUIRE(multiply_add != std::string::npos);
    const std::string line =
        assembly.substr(multiply_add, assembly.find('\n', multiply_add) - multiply_add);
    CHECK(line.find("zmm") != std::string::npos);
  }
}

TEST_CASE("NEON C compiles to fused multiply-adds for AArch64") {
  const TemporaryFolder folder;
  const std::string text =
      emitted("mb1ic64ih14oc32oh14kh3ph1",
              "[T(4,k), T(14,h), T(2,w), T(3,r), T(3,s), T(64,c), U(7,w), U(2,k), V(k)] "
              "in=nhwc out=nhwc",
              Target::neon);
  for (const std::string& compiler : compilers())
    if (compiler.find("clang") != std::string::npos)
      CHECK(assembly_of(folder, compiler + " --target=aarch64-linux-gnu -ffreestanding", text)
                .find("fmla") != std::string::npos);
}
