// SPDX-License-Identifier: Apache-2.0
// Each transformed column or row of a tile is one pass of unrolled code. A value keeps its register
// until its last use, and loads happen as late as possible, so few registers are in use at once.
#include "tile_transform.h"

#include <bit>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <vector>

#include "activation_code.h"
#include "check.h"
#include "executable.h"
#include "microkernel_spec.h"
#include "partial_store.h"
#include "throughput.h"
#include "tileplan/error.h"

namespace tileplan {
namespace {

constexpr double kNoLimit = std::numeric_limits<double>::infinity();

int outputs_of(const StraightLineProgram& program) {
  return static_cast<int>(program.outputs.size());
}

/// Locates the inputs and outputs of one pass. An input without a place is zero, and an output
/// without a place is not stored.
struct PassPlaces {
  std::function<std::optional<Xbyak::Address>(int)> in, out;
  bool is_first = true, is_last = true;  ///< A pass is both when only one direction has passes.
};

class TransformAssembler : public Xbyak::CodeGenerator {
 public:
  explicit TransformAssembler(const TileTransformSpec& spec)
      : Xbyak::CodeGenerator(code_size(spec), Xbyak::DontSetProtectRWE),
        spec_(spec),
        activation_(*this, spec.epilogue.activation, ElementType::f32,
                    lanes_of(spec.isa, ElementType::f32)) {
    Xbyak::Label loop;
    mov(in_, ptr[call_ + offsetof(TileTransformCall, in)]);
    mov(out_, ptr[call_ + offsetof(TileTransformCall, out)]);
    mov(scratch_, ptr[call_ + offsetof(TileTransformCall, scratch)]);
    mov(vectors_, ptr[call_ + offsetof(TileTransformCall, vectors)]);
    mov(bias_, ptr[call_ + offsetof(TileTransformCall, bias)]);
    mov(residual_, ptr[call_ + offsetof(TileTransformCall, residual)]);
    set_mask(k1, spec_.in.lanes);
    set_mask(k2, spec_.out.lanes);
    L(loop);
    emit_tile();
    add(in_, static_cast<int>(spec_.in.strides.channels));
    add(out_, static_cast<int>(spec_.out.strides.channels));
    if (spec_.epilogue.bias) add(bias_, vector_bytes_of(spec_.isa));
    dec(vectors_);
    jnz(loop, T_NEAR);
    vzeroupper();
    ret();
    emit_constants();
    activation_.emit_constants();
    make_executable(*this);
  }

 private:
  Xbyak::Xmm vreg(int i) const {
    if (spec_.isa == Isa::avx512) return Xbyak::Zmm(i);
    return Xbyak::Ymm(i);
  }

  void set_mask(const Xbyak::Opmask& mask, int lanes) {
    if (lanes == 0 || !has_masks(spec_.isa)) return;
    mov(r11d, (1 << lanes) - 1);
    kmovw(mask, r11d);
  }

  std::optional<Xbyak::Address> address_in(const TileAccess& access, const Xbyak::RegExp& base,
                                           int row, int column) const {
    if (!access.window.contains(row, column)) return std::nullopt;
    return ptr[base + static_cast<int>(row * access.strides.row + column * access.strides.column)];
  }
  std::optional<Xbyak::Address> in_address(int row, int column) const {
    return address_in(spec_.in, in_, row, column);
  }
  std::optional<Xbyak::Address> out_address(int row, int column) const {
    return address_in(spec_.out, out_, row, column);
  }
  Xbyak::Address scratch_address(int row, int column) const {
    const int place = row * spec_.width.inputs + column;
    const int bytes = place * vector_bytes_of(spec_.isa);
    return ptr[scratch_ + bytes];
  }

  // A direction that is only copied has no pass of its own. If both directions are only copied, the
  // rows have passes.
  void emit_tile() {
    const bool only_height = is_copy(spec_.width), only_width = is_copy(spec_.height);
    emit_prefetches();
    for (int column = 0; column < spec_.width.inputs && !only_width; ++column)
      if (only_height || spec_.in.window.columns.contains(column)) emit_column(column, only_height);
    for (int row = 0; row < outputs_of(spec_.height) && (!only_height || only_width); ++row)
      if (spec_.out.window.rows.contains(row)) emit_row(row, only_width);
  }

  void emit_prefetches() {
    for (const int element : prefetched_elements(spec_))
      spec_.prefetched == Operand::input ? prefetcht0(ptr[in_ + element])
                                         : prefetchw(ptr[out_ + element]);
  }

  void emit_column(int column, bool only_height) {
    const auto out = [=, this](int row) -> std::optional<Xbyak::Address> {
      if (only_height) return out_address(row, column);
      return scratch_address(row, column);
    };
    emit_pass(spec_.height, {.in = [=, this](int row) { return in_address(row, column); },
                             .out = out,
                             .is_last = only_height});
  }

  void emit_row(int row, bool only_width) {
    const auto in = [=, this](int column) -> std::optional<Xbyak::Address> {
      if (only_width) return in_address(row, column);
      if (!spec_.in.window.columns.contains(column)) return std::nullopt;
      return scratch_address(row, column);
    };
    emit_pass(spec_.width, {.in = in,
                            .out = [=, this](int column) { return out_address(row, column); },
                            .is_first = only_width});
  }

  void emit_pass(const StraightLineProgram& program, const PassPlaces& places) {
    registers_.clear();
    free_.clear();
    for (int i = registers_of(spec_.isa) - 1; i >= 0; --i) free_.push_back(i);
    uses_.assign(static_cast<std::size_t>(program.inputs) + program.lines.size(), 0);
    for (const Line& line : program.lines) {
      ++uses_of(line.a);
      if (line.kind != LineKind::multiply) ++uses_of(line.b);
    }
    emit_copies(program, places);
    for (std::size_t i = 0; i < program.lines.size(); ++i) {
      const int value = program.inputs + static_cast<int>(i);
      emit_line(program.lines[i], value, program.inputs, places);
      store_value(program, value, places);
    }
  }

  /// Stores the outputs that are inputs or zeros, because no line of the program computes them.
  void emit_copies(const StraightLineProgram& program, const PassPlaces& places) {
    for (int output = 0; output < outputs_of(program); ++output) {
      const int value = program.outputs[static_cast<std::size_t>(output)];
      if (value >= program.inputs) continue;
      if (value == StraightLineProgram::kZeroValue) {
        const int zero = free_register();
        set_zero(vreg(zero));
        free_.pop_back();  // The epilogue in store() then takes other registers.
        store(output, vreg(zero), places);
        free_.push_back(zero);
        continue;
      }
      store(output, loaded(value, program.inputs, places), places);
      release_if_unused(value);
    }
  }

  void set_zero(const Xbyak::Xmm& to) {
    const Xbyak::Xmm low(to.getIdx());
    to.getIdx() < 16 ? vxorps(low, low, low) : vpxord(to, to, to);
  }

  void store_value(const StraightLineProgram& program, int value, const PassPlaces& places) {
    for (int output = 0; output < outputs_of(program); ++output)
      if (program.outputs[static_cast<std::size_t>(output)] == value)
        store(output, vreg(registers_.at(value)), places);
    release_if_unused(value);
  }

  int& uses_of(int value) { return uses_[static_cast<std::size_t>(value)]; }

  void release_if_unused(int value) {
    const auto found = registers_.find(value);
    if (uses_of(value) > 0 || found == registers_.end()) return;
    free_.push_back(found->second);
    registers_.erase(found);
  }

  /// Returns the register of `value`. An input is loaded into a register on its first use.
  Xbyak::Xmm loaded(int value, int inputs, const PassPlaces& places) {
    if (!registers_.contains(value)) {
      TILEPLAN_CHECK(value < inputs, "a value is used before it is computed");
      take_register(value);
      load(vreg(registers_.at(value)), places.in(value), places.is_first);
    }
    return vreg(registers_.at(value));
  }

  void load(const Xbyak::Xmm& to, const std::optional<Xbyak::Address>& from, bool is_first) {
    if (!from) return set_zero(to);
    if (!is_first || spec_.in.lanes == 0) return vmovups(to, *from);
    masked_load(to, *from, k1, spec_.in.lanes);
  }

  /// Loads some lanes and sets the others to zero. Without mask registers, `to` first receives
  /// the mask.
  void masked_load(const Xbyak::Xmm& to, const Xbyak::Address& from, const Xbyak::Opmask& mask,
                   int lanes) {
    if (has_masks(spec_.isa)) return vmovups(to | mask | T_z, from);
    vmovups(to, mask_address(lanes));
    vmaskmovps(to, to, from);
  }

  /// Returns free register `number`, counted from the one that became free last. Throws Error when
  /// there is none.
  int free_register(std::size_t number = 0) const {
    if (number >= free_.size())
      throw Error("winograd: a transform has more values in use than the registers of " +
                  to_string(spec_.isa));
    return free_[free_.size() - 1 - number];
  }

  void take_register(int value) {
    registers_[value] = free_register();
    free_.pop_back();
  }

  void store(int output, const Xbyak::Xmm& value, const PassPlaces& places) {
    const std::optional<Xbyak::Address> to = places.out(output);
    if (!to) return;
    if (!places.is_last) return vmovups(*to, value);
    const Xbyak::Xmm result = with_epilogue(value, *to);
    if (spec_.out.lanes == 0) return vmovups(*to, result);
    spec_.zeroes_other_lanes ? zeroed_store(*to, result) : masked_store(*to, result);
  }

  void zeroed_store(const Xbyak::Address& to, const Xbyak::Xmm& value) {
    const Xbyak::Xmm zeroed = vreg(free_register());
    if (has_masks(spec_.isa))
      vmovaps(zeroed | k2 | T_z, value);
    else
      vandps(zeroed, value, mask_address(spec_.out.lanes));
    vmovups(to, zeroed);
  }

  void masked_store(const Xbyak::Address& to, const Xbyak::Xmm& value) {
    if (has_masks(spec_.isa)) return vmovups(to | k2, value);
    store_words(*this, to.getRegExp(), value, vreg(free_register(1)), spec_.out.lanes);
  }

  /// Returns a register that holds the result of the epilogue for `value`, which stays unchanged
  /// because other outputs may need it.
  Xbyak::Xmm with_epilogue(const Xbyak::Xmm& value, const Xbyak::Address& to) {
    const Epilogue& epilogue = spec_.epilogue;
    Xbyak::Xmm result = value;
    if (epilogue.alpha != 1) result = scaled(result, epilogue.alpha);
    if (epilogue.beta != 0) result = with_output(result, to, epilogue.beta);
    if (epilogue.bias) result = sum_of(result, ptr[bias_]);
    if (epilogue.add) result = sum_of(result, ptr[to.getRegExp() + residual_]);
    if (epilogue.activation.any()) {
      const Xbyak::Xmm changed = vreg(free_register());
      if (result.getIdx() != changed.getIdx()) vmovaps(changed, result);
      activation_.apply(changed, std::vector<int>(free_.begin(), free_.end() - 1));
      result = changed;
    }
    // The second source operand is the value, because the instructions return this operand for a
    // NaN.
    if (epilogue.low > -kNoLimit) {
      vmaxps(vreg(free_register()), loaded_limit(epilogue.low), result);
      result = vreg(free_register());
    }
    if (epilogue.high < kNoLimit) {
      vminps(vreg(free_register()), loaded_limit(epilogue.high), result);
      result = vreg(free_register());
    }
    return result;
  }

  Xbyak::Xmm loaded_limit(double limit) {
    const Xbyak::Xmm to = vreg(free_register(1));
    vmovups(to, constant_address(static_cast<float>(limit)));
    return to;
  }

  Xbyak::Xmm scaled(const Xbyak::Xmm& value, double factor) {
    const Xbyak::Xmm product = vreg(free_register());
    vmulps(product, value, constant_address(static_cast<float>(factor)));
    return product;
  }

  /// Returns the sum of `value` and `beta` times the output.
  Xbyak::Xmm with_output(const Xbyak::Xmm& value, const Xbyak::Address& output, double beta) {
    if (beta == 1) return sum_of(value, output);
    const Xbyak::Xmm loaded = vreg(free_register(1));
    if (spec_.out.lanes == 0)
      vmovups(loaded, output);
    else
      masked_load(loaded, output, k2, spec_.out.lanes);
    vmulps(loaded, loaded, constant_address(static_cast<float>(beta)));
    const Xbyak::Xmm sum = vreg(free_register());
    vaddps(sum, value, loaded);
    return sum;
  }

  /// Returns the first free register, which receives the sum.
  Xbyak::Xmm sum_of(const Xbyak::Xmm& value, const Xbyak::Address& addend) {
    const Xbyak::Xmm sum = vreg(free_register());
    if (spec_.out.lanes == 0) {
      vaddps(sum, value, addend);
    } else if (has_masks(spec_.isa)) {
      vaddps(sum | k2 | T_z, value, addend);
    } else {
      const Xbyak::Xmm loaded = vreg(free_register(1));
      masked_load(loaded, addend, k2, spec_.out.lanes);
      vaddps(sum, value, loaded);
    }
    return sum;
  }

  void emit_line(const Line& line, int value, int inputs, const PassPlaces& places) {
    const bool has_addend = line.kind != LineKind::multiply;
    const Xbyak::Xmm a = loaded(line.a, inputs, places);
    const Xbyak::Xmm b = has_addend ? loaded(line.b, inputs, places) : a;
    --uses_of(line.a);
    if (has_addend) --uses_of(line.b);
    release_if_unused(line.a);
    if (has_addend) release_if_unused(line.b);
    // The result takes the register that became free last, which may be that of an operand.
    take_register(value);
    emit_operation(line, vreg(registers_.at(value)), a, b);
  }

  // A multiply-add overwrites its first operand, so `b` may have to be copied to `to` first.
  void emit_operation(const Line& line, const Xbyak::Xmm& to, const Xbyak::Xmm& a,
                      const Xbyak::Xmm& b) {
    if (line.kind == LineKind::add) return vaddps(to, a, b);
    if (line.kind == LineKind::subtract) return vsubps(to, a, b);
    const Xbyak::Address constant = constant_address(static_cast<float>(line.constant));
    if (line.kind == LineKind::multiply) return vmulps(to, a, constant);
    const bool adds = line.kind == LineKind::multiply_add;
    if (to.getIdx() == a.getIdx())
      return adds ? vfmadd132ps(to, b, constant) : vfmsub132ps(to, b, constant);
    if (to.getIdx() != b.getIdx()) vmovaps(to, b);
    adds ? vfmadd231ps(to, a, constant) : vfmsub231ps(to, a, constant);
  }

  Xbyak::Address constant_address(float constant) { return ptr[rip + constants_[constant]]; }
  Xbyak::Address mask_address(int lanes) { return ptr[rip + masks_[lanes]]; }

  void emit_constants() {
    const int lanes = lanes_of(spec_.isa, ElementType::f32);
    align(static_cast<std::size_t>(vector_bytes_of(spec_.isa)));
    for (auto& [constant, label] : constants_) {
      L(label);
      for (int lane = 0; lane < lanes; ++lane) dd(std::bit_cast<std::uint32_t>(constant));
    }
    for (auto& [set, label] : masks_) {
      L(label);
      for (int lane = 0; lane < lanes; ++lane) dd(lane < set ? ~0U : 0U);
    }
  }

  TileTransformSpec spec_;
  ActivationCode activation_;
  std::map<int, int> registers_;  ///< Maps each value that is in use to its register.
  std::vector<int> free_;         ///< The register at the end of the list is taken first.
  std::vector<int> uses_;         ///< Counts how often the remaining lines read each value.
  std::map<float, Xbyak::Label> constants_;
  std::map<int, Xbyak::Label> masks_;  ///< The key is the number of lanes that the mask sets.
  const Xbyak::Reg64 call_ = rdi, in_ = rsi, out_ = rdx, scratch_ = rcx, vectors_ = rax;
  const Xbyak::Reg64 bias_ = r8, residual_ = r9;
};

}  // namespace

TileTransform::TileTransform(const TileTransformSpec& spec) {
  const auto code = std::make_shared<const TransformAssembler>(spec);
  function_ = code->getCode<void (*)(const TileTransformCall*)>();
  code_ = code;
  scratch_floats_ = spec.height.outputs.size() * static_cast<std::size_t>(spec.width.inputs) *
                    static_cast<std::size_t>(lanes_of(spec.isa, ElementType::f32));
}

}  // namespace tileplan
