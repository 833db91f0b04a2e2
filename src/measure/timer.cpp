// SPDX-License-Identifier: Apache-2.0
// This file implements clocks, probes, the measurement of peak rates, the detection of other
// programs, and thread pinning. The loops of probes are assembled, so no compiler changes them.
#include "timer.h"

#include <xbyak/xbyak.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <fstream>
#include <memory>
#include <string>

#include "amx_loop.h"
#include "buffers.h"
#include "executable.h"
#include "microkernel.h"
#include "tileplan/error.h"

namespace tileplan {
namespace {

constexpr std::size_t kCodeBytes = 4096;
/// A sum needs the result of the step before, so one sum would leave the units idle. Twelve sums
/// hide the latency of two FMA units, and leave four registers of AVX2 free.
constexpr int kSums = 12;
/// A timed probe makes this many steps in about 30 us, which is longer than the clock's resolution
/// and shorter than a scheduler tick.
constexpr std::int64_t kFmaSteps = 12'000;
/// Untimed steps run first, because cores need time to reach their full rate.
constexpr std::int64_t kWarmSteps = kFmaSteps / 4;
/// A timed probe of the L2 reads this many bytes, in 30 us at 88 GB/s.
constexpr std::size_t kReadBytes = std::size_t{2'560} << 10;
/// The weights fill half of an L1 of 32 KiB. A probe reads kTileBytes of weights, in about 30 us
/// with AVX-512, and in up to twice this time with AVX2, whose steps read half as much.
constexpr std::size_t kL1Bytes = 16 << 10, kTileBytes = 1536 << 10;
/// An iteration of the L2 loop has this many loads.
constexpr std::size_t kLoads = 8;

void require_isa(Isa isa) {
  if (!host_has(isa)) throw Error("probe: this CPU cannot run " + to_string(isa) + " instructions");
}

/// Holds the code of one loop, whose memory is never writable and executable at the same time.
class Loop : public Xbyak::CodeGenerator {
 public:
  explicit Loop(Isa isa)
      : Xbyak::CodeGenerator(kCodeBytes, Xbyak::DontSetProtectRWE), wide_(isa == Isa::avx512) {}

  std::size_t vector_bytes() const { return wide_ ? 64 : 32; }
  Xbyak::Xmm vector(int i) const { return {wide_ ? Xbyak::Operand::ZMM : Xbyak::Operand::YMM, i}; }

  void end_loop(const char* label) {
    jnz(label, T_NEAR);
    vzeroupper();
    ret();
    make_executable(*this);
  }

 private:
  bool wide_;
};

/// Makes one multiply-add of vectors for each of kSums sums per step, without memory accesses. The
/// multiply-adds are those of `product`, by default in f32.
class FmaLoop : public Loop {
 public:
  explicit FmaLoop(Isa isa, const ProductCode& product = {}) : Loop(isa) {
    // In f32, a multiply-add computes x <- x / 2 + 1/2, which keeps x near 1, away from denormals
    // and infinity.
    const Xbyak::Xmm half = vector(kSums);
    mov(eax, std::bit_cast<std::uint32_t>(0.5F));
    vmovd(Xbyak::Xmm(half.getIdx()), eax);
    vbroadcastss(half, Xbyak::Xmm(half.getIdx()));
    for (int i = 0; i < kSums; ++i) vmovaps(vector(i), half);
    L("step");
    for (int i = 0; i < kSums; ++i) emit_product(vector(i), half, product);
    dec(rdi);
    end_loop("step");
  }

  /// Emits a multiply-add whose result replaces `sum`. It depends on no other sum, so that CPUs can
  /// compute several sums at once.
  void emit_product(const Xbyak::Xmm& sum, const Xbyak::Xmm& factor, const ProductCode& product) {
    const Xbyak::Xmm made = vector(kSums + 1);
    switch (product.arithmetic) {
      case Arithmetic::fma:
      case Arithmetic::widened_fma:
        return vfmadd213ps(sum, factor, factor);
      case Arithmetic::dot_bf16:
        return vdpbf16ps(sum, factor, factor);
      case Arithmetic::dot_bytes:
        return vpdpbusd(sum, factor, factor);
      case Arithmetic::dot_s16:
        if (!product.two_instructions) return vpdpwssd(sum, factor, factor);
        vpmaddwd(made, factor, sum);
        return vpaddd(sum, sum, made);
      case Arithmetic::multiply_s32:
        vpmulld(made, factor, sum);
        return vpaddd(sum, sum, made);
      case Arithmetic::tile_bf16:
      case Arithmetic::tile_bytes:
        break;  // AmxLoop multiplies AMX tiles instead of this loop.
    }
  }

  void run(std::int64_t steps) const { getCode<void (*)(std::int64_t)>()(steps); }
  /// Returns the operations per step: two for each lane of 32 bits of kSums vectors, whatever
  /// element types the lanes hold.
  double flop_per_step() const {
    return 2.0 * kSums * static_cast<double>(vector_bytes()) / sizeof(float);
  }
};

/// Reads a buffer once. Each step loads `vectors` vectors.
class PassLoop : public Loop {
 public:
  void run(const Buffer& buffer) const {
    getCode<void (*)(const float*, std::size_t)>()(buffer.data(), buffer.size_bytes());
  }
  std::size_t step_bytes() const { return vectors_ * vector_bytes(); }

 protected:
  PassLoop(Isa isa, std::size_t vectors) : Loop(isa), vectors_(vectors) {}

  /// Loads consecutive vectors into consecutive registers, from register number `first` on.
  void load_step(int first) {
    for (std::size_t v = 0; v < vectors_; ++v)
      vmovups(vector(first + static_cast<int>(v)), ptr[rdi + v * vector_bytes()]);
  }
  void end_pass(const char* label) {
    add(rdi, static_cast<std::uint32_t>(step_bytes()));
    sub(rsi, static_cast<std::uint32_t>(step_bytes()));
    end_loop(label);
  }

 private:
  std::size_t vectors_;
};

class ReadLoop : public PassLoop {
 public:
  explicit ReadLoop(Isa isa) : PassLoop(isa, kLoads) {
    L("step");
    load_step(0);
    end_pass("step");
  }
};

/// Computes a register tile of 6 pixels x 2 vectors, as a microkernel does.
class TileLoop : public PassLoop {
 public:
  explicit TileLoop(Isa isa) : PassLoop(isa, kVectors) {
    for (int i = 0; i < kSums; ++i) vxorps(Xbyak::Xmm(i), Xbyak::Xmm(i), Xbyak::Xmm(i));
    mov(rax, rdi);
    const Xbyak::Xmm pixel = vector(kSums + kVectors);
    L("step");
    load_step(kSums);
    for (int i = 0; i < kSums; i += kVectors) {
      vbroadcastss(pixel, ptr[rax + static_cast<std::size_t>(i) * kPixelBytes]);
      for (int v = 0; v < kVectors; ++v) vfmadd231ps(vector(i + v), pixel, vector(kSums + v));
    }
    end_pass("step");
  }

  double flop_per_pass(const Buffer& buffer) const {
    return 2.0 * kSums / kVectors * static_cast<double>(buffer.size());
  }

 private:
  static constexpr int kVectors = 2;
  /// The inputs of neighbouring pixels are kVectors times this many bytes apart, so each lies in
  /// its own cache line.
  static constexpr std::size_t kPixelBytes = 68;
};

template <class SumsLoop>
double fma_rate(const SumsLoop& loop, const Clock& clock) {
  loop.run(kWarmSteps);
  const double start = clock();
  loop.run(kFmaSteps);
  return loop.flop_per_step() * static_cast<double>(kFmaSteps) / (clock() - start);
}

/// Returns the highest rate of the runs that begin within `seconds`, or of one run if none does.
template <class SumsLoop>
double best_rate(const SumsLoop& loop, double seconds) {
  const Clock clock = steady_clock();
  const double end = clock() + seconds;
  double best = fma_rate(loop, clock);
  while (clock() < end) best = std::max(best, fma_rate(loop, clock));
  return best;
}

/// Returns zeroed memory for as many steps of `step_bytes` as fit in `bytes`, at least one step.
Buffer whole_steps(std::size_t bytes, std::size_t step_bytes) {
  return Buffer(std::max(bytes / step_bytes, std::size_t{1}) * step_bytes / sizeof(float));
}

struct ProbeLoops {
  ProbeLoops(Isa isa, std::size_t l2_bytes)
      : fma(isa),
        read(isa),
        tile(isa),
        l2(whole_steps(l2_bytes, read.step_bytes())),
        l1(whole_steps(kL1Bytes, tile.step_bytes())) {
    // Numbers other than 0 are used, because multiplying zeros takes less power than typical
    // values.
    std::fill_n(l1.data(), l1.size(), 0.5f);
  }
  FmaLoop fma;
  ReadLoop read;
  TileLoop tile;
  Buffer l2, l1;
};

/// Returns the number of passes per second that a loop makes through a buffer.
double pass_rate(const PassLoop& loop, const Buffer& buffer, std::size_t timed_bytes,
                 const Clock& clock) {
  const std::size_t passes = std::max<std::size_t>(1, timed_bytes / buffer.size_bytes());
  loop.run(buffer);  // The first pass is not timed. It loads the buffer into the cache.
  const double start = clock();
  for (std::size_t pass = 0; pass < passes; ++pass) loop.run(buffer);
  return static_cast<double>(passes) / (clock() - start);
}

/// Reads the scheduler statistics of the thread that constructs this object. The file holds
/// "running waiting slices", with times in ns.
class QueueFile {
 public:
  /// Returns the seconds of waiting. After the thread has ended, returns the last known value.
  double waiting_seconds() {
    std::uint64_t running = 0, waiting = 0;
    file_.clear();
    if (file_.seekg(0) >> running >> waiting) waited_ = 1e-9 * static_cast<double>(waiting);
    return waited_;
  }

 private:
  std::ifstream file_{"/proc/thread-self/schedstat"};
  double waited_ = 0;
};

/// Inserts `rate` into `highest`, which is in descending order, if `rate` exceeds its last element.
void insert_rate(HighestRates& highest, double rate) {
  if (rate <= highest.back()) return;
  highest.back() = rate;
  std::ranges::sort(highest, std::greater<>());
}

/// Returns the lowest positive rate in `highest`, or 0 when there is none.
double lowest_held(const HighestRates& highest) {
  const auto* const unseen = std::ranges::find(highest, 0.0);
  return unseen == highest.begin() ? 0 : *std::prev(unseen);
}

/// Returns true when no two threads ran on one core. Requires that `rates` is sorted by core.
bool has_own_cores(const TeamRates& rates) {
  return std::ranges::adjacent_find(rates, {}, &Rates::core) == rates.end();
}

double slowest_flops(const TeamRates& rates) {
  return std::ranges::min(rates, {}, &Rates::flops).flops;
}

cpu_set_t allowed_cores() {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  if (sched_getaffinity(0, sizeof cores, &cores) != 0)
    throw Error(std::string("pin: the cores of this thread cannot be read: ") +
                std::strerror(errno));
  return cores;
}

}  // namespace

Clock steady_clock() {
  return [] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
  };
}

Clock queue_clock() {
  return [file = std::make_shared<QueueFile>()] { return file->waiting_seconds(); };
}

Probe make_probe(Isa isa, Clock clock, std::size_t l2_bytes) {
  require_isa(isa);
  const auto loops = std::make_shared<const ProbeLoops>(isa, l2_bytes);
  return [loops, clock = std::move(clock)] {
    return Rates{.flops = fma_rate(loops->fma, clock),
                 .bytes_per_second = static_cast<double>(loops->l2.size_bytes()) *
                                     pass_rate(loops->read, loops->l2, kReadBytes, clock),
                 .loading_flops = loops->tile.flop_per_pass(loops->l1) *
                                  pass_rate(loops->tile, loops->l1, kTileBytes, clock)};
  };
}

double measure_peak_flops(Isa isa, const TensorTypes& types, double seconds) {
  require_isa(isa);
  const DotProducts dots = host_dots(isa);
  const LoopTypes loops = loop_types(types, {.isa = isa, .dots = dots});
  const double best = uses_tiles(loops.arithmetic)
                          ? best_rate(AmxLoop(loops.arithmetic), seconds)
                          : best_rate(FmaLoop(isa, product_code(loops, dots)), seconds);
  return best * products_per_lane(loops.arithmetic) * sizeof(float) /
         static_cast<double>(bytes_of(loops.sums));
}

void BestRates::remember(const Rates& rates) {
  insert_rate(flops_, rates.flops);
  insert_rate(bytes_per_second_, rates.bytes_per_second);
  insert_rate(loading_flops_, rates.loading_flops);
}

Rates BestRates::best() const {
  return {.flops = lowest_held(flops_),
          .bytes_per_second = lowest_held(bytes_per_second_),
          .loading_flops = lowest_held(loading_flops_)};
}

bool BestRates::is_quiet(const Rates& rates) const {
  const Rates highest = best();
  return rates.flops >= kQuietFlops * highest.flops &&
         rates.bytes_per_second * highest.flops >=
             kQuietBandwidth * highest.bytes_per_second * rates.flops &&
         rates.loading_flops * highest.flops >= kQuietLoading * highest.loading_flops * rates.flops;
}

bool BestRates::is_quiet(const Rates& before, const Rates& after) const {
  const auto [slow, fast] = std::minmax(before.flops, after.flops);
  return is_quiet(before) && is_quiet(after) && slow >= (1 - kSameClock) * fast;
}

TeamRates Sentinel::probe() {
  last_ = probe_();
  for (const Rates& rates : last_) cores_[rates.core].remember(rates);
  return last_;
}

Rates Sentinel::best() const {
  Rates slowest;
  for (const Rates& rates : last_) {
    const Rates best = cores_.at(rates.core).best();
    if (slowest.flops == 0 || best.flops < slowest.flops) slowest = best;
  }
  return slowest;
}

bool Sentinel::is_quiet(const TeamRates& rates) const {
  return has_own_cores(rates) && std::ranges::all_of(rates, [&](const Rates& one) {
           return cores_.at(one.core).is_quiet(one);
         });
}

bool Sentinel::is_quiet(const TeamRates& before, const TeamRates& after) const {
  return has_own_cores(before) &&
         std::ranges::equal(before, after, [&](const Rates& first, const Rates& second) {
           return first.core == second.core && cores_.at(first.core).is_quiet(first, second);
         });
}

double Sentinel::clock_share(const TeamRates& before, const TeamRates& after) const {
  const double highest = best().flops;
  return highest > 0 ? std::min(1.0, (slowest_flops(before) + slowest_flops(after)) / 2 / highest)
                     : 1;
}

PinnedThread::PinnedThread(int core) : before_(allowed_cores()) {
  cpu_set_t one;
  CPU_ZERO(&one);
  if (core >= 0 && core < CPU_SETSIZE) CPU_SET(core, &one);
  if (sched_setaffinity(0, sizeof one, &one) != 0)
    throw Error("pin: core " + std::to_string(core) + " is not one that this thread may use");
}

PinnedThread::~PinnedThread() { sched_setaffinity(0, sizeof before_, &before_); }

}  // namespace tileplan
