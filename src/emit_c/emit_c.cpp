// SPDX-License-Identifier: Apache-2.0
// Walks the nest inwards: a for over real indices per loop, for a lambda one after the other.
#include "emit_c.h"

#include <algorithm>
#include <cctype>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "block_padding.h"
#include "branches.h"
#include "emit_macros.h"
#include "emit_tile.h"
#include "emit_weights.h"
#include "nest_rules.h"
#include "next_tile_prefetch.h"
#include "option_rules.h"
#include "packed_input.h"
#include "repack.h"
#include "tileplan/error.h"

namespace tileplan {

namespace {

class Emitter {
 public:
  Emitter(const EmitContext& context, const Schedule& schedule, const EmitSpec& spec)
      : context_(context),
        computation_(context.computation),
        nest_(context.nest),
        schedule_(schedule),
        row_(target_row(spec.target)),
        name_(spec.name),
        band_(reduction_band(context.computation, context.nest)),
        blocked_(weights_dim(context.computation, context.nest.vectorised)),
        box_at_(context.computation.dims()) {
    check();
    if (schedule_.pack_input)
      outside_box_ = loops_outside_box(computation_, nest_, *schedule_.pack_input);
    const auto input = schedule.pack_input ? std::nullopt : std::optional(context_.input);
    ahead_ = plan_next_tile_prefetch(computation_, nest_, band_, input, schedule.ahead);
    if (ahead_ && ahead_->by_steps) context_.input_ahead = std::exchange(ahead_, {})->block;
    if (ahead_) context_.ahead = ahead_->call;
  }

  std::string emit() {
    header();
    emit_macros(out_, context_, row_);
    out_.open(signature("pack"));
    emit_packing(out_, context_);
    out_.close();
    out_.line("");
    run();
    return out_.text();
  }

 private:
  bool is_reduction(Dim dim) const { return computation_.role(dim) == Role::reduction; }
  void check() const;
  void check_blocks(Operand operand, const TensorLayout& layout) const;
  void header();
  void run();
  void clear_padding();
  void loops(std::size_t loop, const Indices& at, const Nest& nest, const LinearText& step);
  void plain_loop(std::size_t loop, Indices at, const Nest& nest, LinearText step);
  void next_stretch(const Indices& at, const Tile& base, const LinearText& step);
  void lambda(std::size_t loop, const Indices& at, const Nest& nest, const LinearText& step);
  void parallel_lambda(std::size_t loop, const Indices& at, const Nest& nest,
                       const LinearText& step);
  void tasks(std::size_t loop, Indices at, const Nest& nest, const LinearText& step);
  void open_tasks(std::int64_t count);
  void close_tasks();
  void tile(const Indices& at, const Tile& base, const LinearText& step);
  std::size_t end_of_tasks(std::size_t loop, const Nest& nest) const;
  std::int64_t steps_inside(std::size_t from) const;
  std::string signature(const std::string& verb) const;

  EmitContext context_;
  const Computation& computation_;
  const Nest& nest_;
  const Schedule& schedule_;
  const TargetRow& row_;
  const std::string name_;
  const std::size_t band_;  // first loop of the reduction band around the register tile
  const Dim blocked_;       // of the packed weights
  std::optional<std::size_t> outside_box_;  // first loop that reads the packed input
  Indices box_at_;                          // where the packed box begins that is being written
  std::optional<NextTilePrefetch> ahead_;
  bool in_tasks_ = false;  // writing what one thread does
  CWriter out_;
};

bool is_identifier(const std::string& name) {
  return !name.empty() && std::isdigit(static_cast<unsigned char>(name.front())) == 0 &&
         std::all_of(name.begin(), name.end(),
                     [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; });
}

void Emitter::check() const {
  if (!is_identifier(name_)) throw Error("emit: name '" + name_ + "'; must be a C identifier");
  check_nest(computation_, nest_, context_.box.has_value());
  check_blocks(Operand::input, context_.input);
  check_blocks(Operand::output, context_.output);
}

void Emitter::check_blocks(Operand operand, const TensorLayout& layout) const {
  const TensorAccess& access = context_.tensor(operand);
  for (std::size_t a = 0; a < access.data.size(); ++a)
    for (const Term& term : access.data[a].terms) {
      const std::int64_t block = layout.axes[a].block;
      if (term.dim == nest_.vectorised && block % context_.lanes != 0)
        throw Error("layout: vectors of " + std::to_string(context_.lanes) + " along " +
                    computation_.name(term.dim) + " in blocks of " + std::to_string(block) +
                    "; the blocks must be whole vectors");
    }
}

std::string Emitter::signature(const std::string& verb) const {
  const std::string start = "void " + name_ + "_" + verb;
  const auto reads = [&](const char* name) {
    return "const " + context_.number() + " *restrict " + name + ", ";
  };
  if (verb == "pack")
    return start + "(" + reads("weights") + context_.number() + " *restrict packed)";
  return start + "(" + reads("input") + reads("packed") +
         (context_.epilogue.bias ? reads("bias") : "") +
         (context_.epilogue.add ? reads("residual") : "") + context_.number() +
         " *restrict output)";
}

void Emitter::header() {
  const std::string numbers = context_.number() + "s";
  const auto size = [&](Operand operand, const TensorLayout& layout, Layout name) {
    return context_.tensor(operand).name + " " + std::to_string(layout.elements) + " " + numbers +
           ", " + to_string(name);
  };
  const std::string packed = std::to_string(packed_elements(context_));
  out_.line("/* Written by tileplan emit.");
  out_.line(" * problem   " + to_string(computation_.problem));
  out_.line(" * schedule  " + to_string(schedule_));
  out_.line(" * isa       " + std::string(row_.name));
  out_.line(" * input     " + size(Operand::input, context_.input, schedule_.in));
  out_.line(" * weights   " + size(Operand::weights, context_.weights, Layout::plain));
  out_.line(" * output    " + size(Operand::output, context_.output, schedule_.out));
  if (context_.epilogue != Epilogue{}) {
    out_.line(" * epilogue  " + to_string(context_.epilogue));
    if (context_.epilogue.bias)
      out_.line(" * bias      " + std::to_string(bias_layout(computation_).elements) + " " +
                numbers);
    if (context_.epilogue.add) out_.line(" * residual  as the output");
  }
  out_.line(" * " + name_ + "_pack orders the weights as the loops of " + name_ +
            "_run read them:");
  out_.line(" * " + packed + " " + numbers + ", the last vector filled up with zeros. */");
  out_.line("#include <stdint.h>");
  out_.line("");
  out_.line("#define " + name_ + "_packed_" + numbers + " INT64_C(" + packed + ")");
  out_.line(signature("pack") + ";");
  out_.line(signature("run") + ";");
  out_.line("");
}

void Emitter::run() {
  out_.line("KERNEL");
  out_.open(signature("run"));
  clear_padding();
  if (context_.box)
    out_.line("static _Thread_local " + context_.number() + " box[" +
              std::to_string(context_.box->elements) + "];  /* packed input */");
  loops(0, Indices(computation_.dims()), nest_, LinearText());
  out_.close();
}

/// Blocks of a layout that the vectors of the target do not fill.
void Emitter::clear_padding() {
  if (context_.epilogue.accumulate) return;  // it is zero already
  if (emit_clear(out_, unwritten_padding(computation_, context_.output, nest_.vectorised))) return;
  const TensorAccess& output = context_.tensor(Operand::output);
  for (std::size_t a = 0; a < output.data.size(); ++a)
    for (const Term& term : output.data[a].terms) {
      const std::int64_t block = context_.output.axes[a].block;
      const bool filled = term.dim == nest_.vectorised && block <= context_.lanes;
      if (block == 0 || filled || computation_.extent(term.dim) % block == 0) continue;
      out_.line("for (int64_t i = 0; i < " + std::to_string(context_.output.elements) +
                "; ++i) output[i] = 0;  /* the last block is not filled by the loops */");
    }
}

void Emitter::loops(std::size_t loop, const Indices& at, const Nest& nest, const LinearText& step) {
  if (outside_box_ == loop) {
    box_at_ = at;
    copy_box(out_, context_, at, packed_box(computation_, nest, loop));
    // Threads that start further in have boxes of their own, which nobody fills.
    out_.line("const " + context_.number() + " *const boxed = box;");
  }
  if (loop == band_) return tile(at, nest.base, step);
  if (nest.loops[loop].is_lambda()) return lambda(loop, at, nest, step);
  if (nest.loops[loop].trips == 1) return loops(loop + 1, at, nest, step);
  plain_loop(loop, at, nest, step);
}

void Emitter::plain_loop(std::size_t loop, Indices at, const Nest& nest, LinearText step) {
  const NestLoop& here = nest.loops[loop];
  if (here.parallel && !in_tasks_) return tasks(loop, at, nest, step);
  const std::int64_t size = covered(nest, loop + 1, here.dim);
  const std::string outer = at.names[here.dim];
  open_loop(out_, computation_, at, {here.dim, here.trips, size});
  if (is_reduction(here.dim)) {
    const std::int64_t steps = steps_inside(loop + 1) / size;
    step.add(steps, at.names[here.dim]);
    step.add(-steps, outer);
  }
  if (ahead_ && loop == ahead_->loop) next_stretch(at, nest.base, step);
  loops(loop + 1, at, nest, step);
  out_.close();
}

/// The P loops from `loop` inwards as one; those further in are ordinary loops of each thread.
void Emitter::tasks(std::size_t loop, Indices at, const Nest& nest, const LinearText& step) {
  const std::size_t end = end_of_tasks(loop, nest);
  std::int64_t inside = 1;
  for (std::size_t i = loop; i < end; ++i) inside *= nest.loops[i].trips;
  open_tasks(inside);
  for (std::size_t i = loop; i < end; ++i) {
    const NestLoop& here = nest.loops[i];
    if (here.trips == 1) continue;
    std::string trip = "task";
    inside /= here.trips;
    if (inside > 1) trip += " / " + std::to_string(inside);
    if (i != loop) trip += " % " + std::to_string(here.trips);
    LinearText begin;
    begin.add(1, at.names[here.dim]);
    begin.add(covered(nest, i + 1, here.dim), trip == "task" ? trip : "(" + trip + ")");
    declare_block(out_, computation_, at, here.dim, begin);
  }
  if (ahead_ && end == ahead_->loop + 1) next_stretch(at, nest.base, step);
  loops(end, at, nest, step);
  close_tasks();
}

void Emitter::open_tasks(std::int64_t count) {
  in_tasks_ = true;
  out_.directive("#ifdef _OPENMP");
  out_.directive("#pragma omp parallel for");
  out_.directive("#endif");
  out_.open("for (int64_t task = 0; task < " + std::to_string(count) + "; ++task)");
}

void Emitter::close_tasks() {
  out_.close();
  in_tasks_ = false;
}

/// Behind the last of the P loops from `loop` inwards that have nothing between them and blocks of
/// one size.
std::size_t Emitter::end_of_tasks(std::size_t loop, const Nest& nest) const {
  for (++loop; loop < band_; ++loop) {
    const NestLoop& here = nest.loops[loop];
    const bool between = outside_box_ == loop || (ahead_ && ahead_->loop + 1 == loop);
    if (between || here.is_lambda() || (here.trips != 1 && !here.parallel)) break;
  }
  return loop;
}

/// Declares where the weights or the input of the next iteration begin.
void Emitter::next_stretch(const Indices& at, const Tile& base, const LinearText& step) {
  const std::string declared = "const " + context_.number() + " *ahead = ";
  if (ahead_->operand == Operand::input) {
    out_.line(declared + "input + " + offset_text(context_, Operand::input, at, {}) + " + " +
              std::to_string(ahead_->first) + ";");
    return;
  }
  LinearText next = weights_text(context_, at, steps_inside(0));
  next.add(base[blocked_], step);
  next.add(ahead_->first);
  out_.line(declared + "packed + " + next.text() + ";");
}

void Emitter::lambda(std::size_t loop, const Indices& at, const Nest& nest,
                     const LinearText& step) {
  const NestLoop& here = nest.loops[loop];
  if (here.parallel && !in_tasks_) return parallel_lambda(loop, at, nest, step);
  part_loops(out_, computation_, at, here, [&](const Part& part, const Indices& of_part) {
    loops(loop + 1, of_part, with_part(nest, loop, part), step);
  });
}

/// One loop over the blocks of all parts.
void Emitter::parallel_lambda(std::size_t loop, const Indices& at, const Nest& nest,
                              const LinearText& step) {
  const NestLoop& here = nest.loops[loop];
  open_tasks(here.blocks());
  std::int64_t first = 0, start = 0;
  for (const Part& part : here.parts) {
    const std::int64_t end = first + part.times;
    out_.open("if (task >= " + std::to_string(first) + " && task < " + std::to_string(end) + ")");
    Indices of_part = at;
    LinearText begin(start - first * part.size);
    begin.add(1, at.names[here.dim]);
    begin.add(part.size, "task");
    declare_block(out_, computation_, of_part, here.dim, begin);
    loops(loop + 1, of_part, with_part(nest, loop, part), step);
    out_.close();
    first = end;
    start += part.times * part.size;
  }
  close_tasks();
}

void Emitter::tile(const Indices& at, const Tile& base, const LinearText& step) {
  emit_tile(out_, context_,
            {.base = base,
             .at = at,
             .box_at = box_at_,
             .loops = run_loops(context_, band_),
             .step = step,
             .all_steps = steps_inside(0)});
}

std::int64_t Emitter::steps_inside(std::size_t from) const {
  std::int64_t steps = 1;
  for (int d = 0; d < computation_.dims(); ++d)
    if (is_reduction(Dim{d})) steps *= covered(nest_, from, Dim{d});
  return steps;
}

}  // namespace

Schedule as_emitted(const Computation& computation, Schedule schedule, Target target) {
  schedule.nontemporal = false;  // vector stores of C that need no alignment
  if (!schedule.ahead || schedule.pack_input) return schedule;
  const Nest nest = resolve(schedule, computation, lanes_of(target, type_of(computation.problem)));
  if (static_cast<std::size_t>(*schedule.ahead) >= nest.loops.size()) return schedule;  // refused
  if (next_tile_operand(computation, nest, *schedule.ahead) == Operand::input &&
      layout_in_loops(computation, schedule, nest, Operand::input) != schedule.in)
    schedule.ahead.reset();
  return schedule;
}

std::string emit_c(const Computation& computation, const Schedule& planned, const EmitSpec& spec) {
  check_target(planned, spec.target);
  check_epilogue(spec.epilogue, type_of(computation.problem));
  const Schedule schedule = as_emitted(computation, planned, spec.target);
  const int lanes = lanes_of(spec.target, type_of(computation.problem));
  const Nest nest = resolve(schedule, computation, lanes);
  std::optional<TensorLayout> box;
  if (schedule.pack_input)
    box = packed_boxes_layout(computation, nest,
                              loops_outside_box(computation, nest, *schedule.pack_input));
  const EmitContext context{.computation = computation,
                            .nest = nest,
                            .lanes = lanes,
                            .input = layout_of(computation, Operand::input, schedule.in),
                            .weights = layout_of(computation, Operand::weights, Layout::plain),
                            .output = layout_of(computation, Operand::output, schedule.out),
                            .box = std::move(box),
                            .prefetch = schedule.prefetch,
                            .epilogue = spec.epilogue,
                            .keep_operands = has_memory_operands(spec.target)};
  return Emitter(context, schedule, spec).emit();
}

std::string emit_c_header(const std::string& emitted) {
  const std::string include = "#include <stdint.h>\n\n";
  const std::size_t from = emitted.find(include) + include.size();
  std::string declarations = emitted.substr(from, emitted.find("\n\n", from) + 1 - from);
  // Qualifiers of parameters are not part of a type, and C++ has no restrict.
  for (std::size_t at = 0; (at = declarations.find("restrict ", at)) != std::string::npos;)
    declarations.erase(at, std::strlen("restrict "));
  return emitted.substr(0, from - include.size()) + "#pragma once\n\n" + include +
         "#ifdef __cplusplus\nextern \"C\" {\n#endif\n" + declarations +
         "#ifdef __cplusplus\n}\n#endif\n";
}

}  // namespace tileplan
