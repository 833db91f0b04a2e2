// SPDX-License-Identifier: Apache-2.0
// This test runs random convolutions and products of each combination of element types except f32
// and f64. It compares every output with plain loops. Where has_peer() returns true and oneDNN can
// run the problem, it also compares them with oneDNN. One integer in eight is an extreme of its
// type. The usage is random_types_test [--types TYPES] [--first SEED] [--cases COUNT].
#include "random_types.h"

#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>

#include "attached_kernel.h"
#include "host_isas.h"
#include "onednn.h"
#include "random_nest.h"
#include "random_relation.h"
#include "tileplan/error.h"

using namespace tileplan;
using namespace tileplan::test;

namespace {

// The plain loops of the reference would take too long for larger problems.
constexpr std::int64_t kMultiplyAdds = 300'000;
constexpr int kDraws = 50;  // A seed is given up after this many drawn cases that do not compile.

struct TypedCase {
  Problem problem;
  Schedule schedule;
  Epilogue epilogue;
  Isa isa = Isa::avx2;
  DotProducts dots;
  int threads = 1;
};

struct TypesTally {
  long run = 0;      ///< Counts cases that were compiled, run and compared.
  long refused = 0;  ///< Counts random cases that compile() refused.
  long unfit = 0;    ///< Counts seeds for which no drawn case compiled.
  long failed = 0;   ///< Counts wrong results, and errors that are thrown after compile().
  long by_peer = 0;  ///< Counts cases whose outputs were equal to those of oneDNN.
  long products = 0, avx2 = 0, avx512 = 0, avx512vl = 0, threaded = 0;
};

std::string to_string(const TypedCase& drawn) {
  const char* const dots = !drawn.dots.integers     ? " without dot products"
                           : drawn.dots.widens_bf16 ? " widened"
                                                    : "";
  return tileplan::to_string(drawn.problem) + " '" + tileplan::to_string(drawn.schedule) + "' " +
         tileplan::to_string(drawn.epilogue) + " " + tileplan::to_string(drawn.isa) + dots + " " +
         std::to_string(drawn.threads) + " threads";
}

char current[1 << 11] = {};  // The text describes the case that runs now.

/// Writes the case that crashed to stdout, and ends the process. This is a signal handler, so it
/// only calls functions that signal handlers may call.
void end_after_crash(int /*signal*/) {
  constexpr char kWhat[] = "crashed in the case ";
  const bool is_written = write(STDOUT_FILENO, kWhat, sizeof kWhat - 1) > 0 &&
                          write(STDOUT_FILENO, current, std::strlen(current)) > 0;
  _exit(is_written ? 1 : 2);
}

/// Draws one of the instruction sets of this host. Dot products are off in a quarter of the cases,
/// and so are fused conversions.
void draw_unit(Random& random, TypedCase& drawn) {
  const std::vector<Isa> isas = host_isas();
  drawn.isa = isas[random() % isas.size()];
  drawn.dots = one_in(random, 4) ? DotProducts{} : host_dots(drawn.isa);
  drawn.dots.fused_conversions = !one_in(random, 4);
}

std::int64_t work_of(const Computation& computation) {
  std::int64_t product = 1;
  for (int d = 0; d < computation.dims(); ++d) product *= computation.extent(Dim{d});
  return product;
}

/// Draws a convolution in two of three cases, and a product in the others.
Problem draw_problem(Random& random, const TensorTypes& types, int strip) {
  if (one_in(random, 3)) {
    GemmShape shape = random_product(random);
    shape.types = types;
    return shape;
  }
  ConvShape shape = with_elements(random, random_shape(random), strip);
  shape.types = types;
  return shape;
}

Epilogue draw_typed_epilogue(Random& random, const TensorTypes& types) {
  if (one_in(random, 3)) return {};
  const Epilogue epilogue =
      with_factors_for(types, one_in(random, 3) ? Epilogue{} : random_epilogue(random));
  return one_in(random, 4) ? epilogue : quantised(random, epilogue, types);
}

TypedCase draw_case(Random& random, const TensorTypes& types) {
  TypedCase drawn;
  draw_unit(random, drawn);
  if (types.input == ElementType::bf16) drawn.dots.widens_bf16 = one_in(random, 2);
  const LoopTypes loops = loop_types(types, {.isa = drawn.isa, .dots = drawn.dots});
  Computation whole;
  do {
    drawn.problem = draw_problem(random, types, loops.strip);
    whole = computation_of(drawn.problem);
  } while (work_of(whole) > kMultiplyAdds);
  const Computation elements = one_in(random, 3) ? whole : merge_adjacent_dims(whole);
  const Computation computation = in_strips(elements, loops);
  drawn.schedule = random_nest(
      random, computation,
      {.lanes = lanes_of(drawn.isa, loops.sums), .count = drawn.isa == Isa::avx2 ? 16 : 32});
  if (std::holds_alternative<ConvShape>(drawn.problem)) {
    drawn.schedule.in = random_layout(random, drawn.isa);
    drawn.schedule.out = random_layout(random, drawn.isa);
    if (holds_pixels(computation, drawn.schedule) && one_in(random, 2))
      drawn.schedule.out = Layout::nchw;
  }
  drawn.threads = static_cast<int>(pick(random, 1, 4));
  drawn.schedule.prefetch = static_cast<int>(pick(random, 0, 2)) * 4;
  drawn.schedule.nontemporal = one_in(random, 8);
  drawn.epilogue = draw_typed_epilogue(random, types);
  return drawn;
}

Kernel compile_case(const TypedCase& drawn) {
  Plan plan = plan_for(drawn.problem, drawn.schedule, drawn.isa);
  plan.machine.vector.dots = drawn.dots;
  plan.options.epilogue = drawn.epilogue;
  plan.options.threads = drawn.threads;
  return compile(plan);
}

/// Returns true when the outputs of `drawn` must equal those of oneDNN. This needs sums of integers
/// without an epilogue, exact sums in oneDNN, and matrices C without gaps.
bool has_peer(const TypedCase& drawn) {
  const TensorTypes types = types_of(drawn.problem);
  if (types.output != ElementType::s32 || drawn.epilogue != Epilogue{}) return false;
  if (bytes_of(types.input) == 1 && !onednn_adds_bytes_exactly()) return false;
  const auto* const gemm = std::get_if<GemmShape>(&drawn.problem);
  return gemm == nullptr || (gemm->ldc == gemm->n && !gemm->sc);
}

/// Returns true when the outputs in `tensors` equal those of oneDNN, or nothing when oneDNN refuses
/// the problem.
std::optional<bool> equals_peer(const TypedCase& drawn, Tensors& tensors) {
  const TensorTypes types = types_of(drawn.problem);
  try {
    const OnednnPeer peer(drawn.problem, tensors.weights().elements());
    Buffer input(peer.input_size(), types.input), output(peer.output_size(), types.output);
    peer.load_input(tensors.plain_input().elements(), input.elements());
    peer.bind(input.elements(), output.elements())();
    const Buffer theirs = peer.plain_output(output.elements());
    const Buffer ours = tensors.plain_output(drawn.schedule.out);
    return std::ranges::equal(theirs.span<std::int32_t>(), ours.span<std::int32_t>());
  } catch (const Error&) {
    return std::nullopt;
  }
}

void count(const TypedCase& drawn, TypesTally& tally) {
  ++tally.run;
  tally.products += std::holds_alternative<GemmShape>(drawn.problem) ? 1 : 0;
  tally.avx2 += drawn.isa == Isa::avx2 ? 1 : 0;
  tally.avx512 += drawn.isa == Isa::avx512 ? 1 : 0;
  tally.avx512vl += drawn.isa == Isa::avx512vl ? 1 : 0;
  tally.threaded += drawn.threads > 1 ? 1 : 0;
}

void fail(std::uint64_t seed, const TypedCase& drawn, const std::string& why, TypesTally& tally) {
  ++tally.failed;
  std::printf("seed %llu: %s\n  %s\n", static_cast<unsigned long long>(seed), why.c_str(),
              to_string(drawn).c_str());
  std::fflush(stdout);
}

void check_case(std::uint64_t seed, const TypedCase& drawn, Kernel kernel, TypesTally& tally) {
  Tensors tensors(drawn.problem, seed);
  const Check check = AttachedKernel(std::move(kernel), tensors).check_all();
  if (!check.passed())
    fail(seed, drawn,
         "output " + std::to_string(check.worst_index) + " is " + std::to_string(check.got) +
             ", expected " + std::to_string(check.expected),
         tally);
  const std::optional<bool> peer =
      has_peer(drawn) ? equals_peer(drawn, tensors) : std::optional<bool>{};
  if (peer && !*peer) fail(seed, drawn, "oneDNN has other outputs", tally);
  tally.by_peer += peer.value_or(false) ? 1 : 0;
  count(drawn, tally);
}

void run_seed(std::uint64_t seed, const TensorTypes& types, TypesTally& tally) {
  Random random(static_cast<Random::result_type>(seed));
  for (int i = 0; i < kDraws; ++i) {
    const TypedCase drawn = draw_case(random, types);
    std::snprintf(current, sizeof current, "%s\n", to_string(drawn).c_str());
    std::optional<Kernel> kernel;
    try {
      kernel.emplace(compile_case(drawn));
    } catch (const Error&) {
      ++tally.refused;
      continue;
    }
    try {
      return check_case(seed, drawn, std::move(*kernel), tally);
    } catch (const Error& error) {
      return fail(seed, drawn, std::string("throws ") + error.what(), tally);
    }
  }
  ++tally.unfit;
}

/// Runs `cases` seeds from `first` on and prints the counts. Returns false when a case failed, or
/// when no drawn case of a seed compiled.
bool run_types(const std::string& names, std::uint64_t first, std::uint64_t cases) {
  TypesTally tally;
  for (std::uint64_t seed = first; seed < first + cases; ++seed)
    run_seed(seed, parse_types(names), tally);
  std::printf("%s,%ld,%ld,%ld,%ld,%ld,%ld,%ld,%ld,%ld,%ld\n", names.c_str(), tally.run,
              tally.failed, tally.by_peer, tally.products, tally.avx2, tally.avx512vl, tally.avx512,
              tally.threaded, tally.refused, tally.unfit);
  std::fflush(stdout);
  return tally.failed == 0 && tally.unfit == 0;
}

int usage() {
  std::fputs("usage: random_types_test [--types TYPES] [--first SEED] [--cases COUNT]\n", stderr);
  return 2;
}

}  // namespace

int main(int count, char** arguments) {
  std::signal(SIGSEGV, end_after_crash);
  std::signal(SIGABRT, end_after_crash);
  std::string types;
  std::uint64_t first = 1, cases = 100;
  for (int i = 1; i < count; i += 2) {
    if (i + 1 == count) return usage();
    const std::string flag = arguments[i];
    if (flag == "--types")
      types = arguments[i + 1];
    else if (flag == "--first")
      first = std::strtoull(arguments[i + 1], nullptr, 10);
    else if (flag == "--cases")
      cases = std::strtoull(arguments[i + 1], nullptr, 10);
    else
      return usage();
  }
  std::puts("types,run,failed,by_onednn,products,avx2,avx512vl,avx512,threads,refused,unfit");
  if (!types.empty()) return run_types(types, first, cases) ? 0 : 1;
  bool passed = true;
  for (const char* names : kAllCombinations) passed = run_types(names, first, cases) && passed;
  return passed ? 0 : 1;
}
