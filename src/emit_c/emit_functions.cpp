// SPDX-License-Identifier: Apache-2.0
// This file writes the functions of an emitted file. The emitted loops run over the iterators of
// the computation and have their names, so that readers recognise them.
#include "emit_functions.h"

#include <algorithm>
#include <vector>

#include "block_padding.h"
#include "emit_header.h"
#include "emit_parts.h"
#include "emit_stages.h"
#include "emit_winograd.h"
#include "integers.h"
#include "packed_box.h"
#include "target.h"

namespace tileplan {
namespace {

const CountedLoop& loop_of(const ProgramNode& node) { return std::get<CountedLoop>(node.element); }

class Emitter {
 public:
  Emitter(const EmitContext& context, const Schedule& schedule, const EmitOptions& options,
          const std::string& scratch)
      : context_(context),
        computation_(context.computation),
        program_(context.program),
        row_(target_row(options.target)),
        epilogue_(options.epilogue),
        head_{context, schedule, row_.name, options.name, options.epilogue},
        scratch_(scratch),
        box_at_(context.computation.dims()),
        weights_at_(context.computation.dims()),
        sums_at_(context.computation.dims()) {}

  std::string emit() {
    if (!context_.winograd)
      check_output_box(computation_, program_.vectorised, program_.place(Operand::output).box,
                       epilogue_);
    emit_header(out_, head_);
    if (!scratch_.empty())
      out_.line("extern _Thread_local " + context_.number() + " " + scratch_ + "[];");
    emit_macros(out_, context_, row_);
    if (context_.winograd != nullptr) emit_winograd_functions(out_, context_, row_, epilogue_);
    if (context_.stages != nullptr) emit_stage_macros(out_, context_, row_);
    if (context_.is_packed()) emit_pack();
    emit_loops();
    if (context_.stages != nullptr) emit_run_of_stages();
    return out_.text();
  }

  /// Returns the number of elements of `scratch` that the boxes take.
  std::int64_t scratch_elements() const { return scratch_elements_; }
  std::string declaration() const { return signature(head_, "run") + ";"; }

 private:
  void emit_pack() {
    out_.open(signature(head_, "pack"));
    if (context_.stages != nullptr)
      out_.line(c_type(context_.tensor(Operand::weights).type) + " *elements = packed;");
    emit_packing(out_, context_, program_.weights, program_.body.front(),
                 Indices(computation_.dims()));
    if (context_.stages != nullptr) emit_packed_sums(out_, context_);
    out_.close();
    out_.line("");
  }

  void declare_box(Operand operand, const char* name, const char* what) {
    const auto& box = context_.place(operand).box;
    const std::int64_t elements =
        operand == Operand::weights ? weights_box() : (box ? box->elements : 0);
    if (elements == 0) return;
    const std::string comment = std::string("  /* ") + what + " */";
    if (scratch_.empty())
      return out_.line("static _Thread_local " + context_.number(operand) + " " + name + "[" +
                       std::to_string(elements) + "];" + comment);
    // Threads find their boxes by a macro, because a pointer would point into the memory of the
    // thread that declared it.
    out_.directive(std::string("#define ") + name + " (" + scratch_ + " + " +
                   std::to_string(scratch_elements_) + ")" + comment);
    constexpr std::int64_t kLine = 16;  // A cache line holds 16 f32.
    scratch_elements_ += round_up(elements, kLine);
  }

  /// Returns the number of elements of the largest box of weights. If weights are prefetched, room
  /// is added behind them, because prefetches run ahead of the loops.
  std::int64_t weights_box() const {
    const std::int64_t elements = largest_weights_box(program_.body);
    if (elements == 0 || context_.prefetch == 0) return elements;
    return elements + (context_.prefetch + 1) * std::ranges::max(program_.weights.blocks);
  }

  void emit_run_of_stages() {
    out_.line("");
    out_.line("STAGE");
    out_.open(signature(head_, "run"));
    emit_stages(out_, head_);
    out_.close();
  }

  void emit_loops() {
    out_.line("KERNEL");
    out_.open(signature(head_, context_.stages == nullptr ? "run" : "loops"));
    clear_padding();
    declare_box(Operand::input, "box",
                context_.winograd != nullptr ? "transformed input" : "packed input");
    declare_box(Operand::weights, "weights_box", "packed weights");
    declare_box(Operand::output, "products",
                context_.winograd != nullptr ? "to be transformed to the output" : "packed output");
    for (const ProgramNode& node : program_.body)
      print(node, Indices(computation_.dims()), LinearText());
    out_.close();
  }

  /// Writes code that clears the padding in blocks of the output, where no vector stores.
  void clear_padding() {
    if (epilogue_.beta != 0) return;  // With beta, the output already holds zeros in this padding.
    if (context_.stages != nullptr && context_.stages->has_sums()) return;
    if (context_.winograd != nullptr) return emit_output_clear(out_, *context_.winograd);
    const TensorLayout& layout = context_.place(Operand::output).stored;
    if (emit_clear(out_, unwritten_padding(computation_, layout, program_.vectorised))) return;
    const TensorAccess& output = context_.tensor(Operand::output);
    for (std::size_t a = 0; a < output.data.size(); ++a)
      for (const Term& term : output.data[a].terms) {
        const std::int64_t block = layout.axes[a].block;
        const bool filled = term.dim == program_.vectorised && block <= context_.lanes;
        if (block == 0 || filled || computation_.extent(term.dim) % block == 0) continue;
        out_.line("for (int64_t i = 0; i < " + std::to_string(layout.elements) +
                  "; ++i) output[i] = 0;  /* the last block is not filled by the loops */");
      }
  }

  void print(const ProgramNode& node, const Indices& at, const LinearText& step) {
    if (std::holds_alternative<CountedLoop>(node.element)) return print_loop(node, at, step);
    if (std::holds_alternative<BlockList>(node.element)) return print_list(node, at, step);
    if (std::holds_alternative<FillBox>(node.element)) return fill_box(node, at, step);
    if (std::holds_alternative<TransformInput>(node.element))
      return transform_input(node, at, step);
    if (std::holds_alternative<TransformOutput>(node.element))
      return transform_output(node, at, step);
    const Tile& base = std::get<Compute>(node.element).base;
    const LinearText weights = weights_text(*order_, at, weights_at_);
    LinearText rows = step;
    rows.add(-1, weights_step_);
    emit_tile(out_, context_,
              {.base = base,
               .at = at,
               .box_at = box_at_,
               .sums_at = sums_at_,
               .step = step,
               .weights = weights,
               .rows = rows});
  }

  void print_loop(const ProgramNode& node, Indices at, LinearText step) {
    const CountedLoop& loop = loop_of(node);
    if (loop.parallel && !in_tasks_) return print_tasks(node, at, step);
    const std::string outer = at.names[loop.dim];
    open_loop(out_, computation_, at, loop);
    if (loop.reduction_steps > 0) {
      const std::int64_t steps = loop.reduction_steps / loop.step;
      step.add(steps, at.names[loop.dim]);
      step.add(-steps, outer);
    }
    if (loop.prefetches_next_tile) declare_next_tile(at, node, step);
    print(node.body.front(), at, step);
    out_.close();
  }

  void print_list(const ProgramNode& node, const Indices& at, const LinearText& step) {
    if (std::get<BlockList>(node.element).parallel && !in_tasks_)
      return print_parallel_list(node, at, step);
    for (const ProgramNode& part : node.body) print_loop(part, at, step);
  }

  /// Prints directly nested parallel loops as one loop over tasks. A task runs in one thread.
  void print_tasks(const ProgramNode& node, Indices at, const LinearText& step) {
    std::vector<const ProgramNode*> nodes{&node};
    std::int64_t inside = loop_of(node).trips;
    while (!loop_of(*nodes.back()).prefetches_next_tile) {
      const ProgramNode& next = nodes.back()->body.front();
      const auto* loop = std::get_if<CountedLoop>(&next.element);
      if (loop == nullptr || !loop->parallel) break;
      nodes.push_back(&next);
      inside *= loop->trips;
    }
    open_tasks(inside);
    for (const ProgramNode* const each : nodes) {
      const CountedLoop& loop = loop_of(*each);
      std::string trip = "task";
      inside /= loop.trips;
      if (inside > 1) trip += " / " + std::to_string(inside);
      if (each != &node) trip += " % " + std::to_string(loop.trips);
      LinearText begin;
      begin.add(1, at.names[loop.dim]);
      begin.add(loop.step, trip == "task" ? trip : "(" + trip + ")");
      declare_block(out_, computation_, at, loop.dim, begin);
    }
    const ProgramNode& last = *nodes.back();
    if (loop_of(last).prefetches_next_tile) declare_next_tile(at, last, step);
    print(last.body.front(), at, step);
    close_tasks();
  }

  /// Prints a parallel list of blocks as one loop over the blocks of all its parts.
  void print_parallel_list(const ProgramNode& node, const Indices& at, const LinearText& step) {
    std::int64_t first = 0;
    for (const ProgramNode& part : node.body) first += loop_of(part).trips;
    open_tasks(first);
    first = 0;
    for (const ProgramNode& part : node.body) {
      const CountedLoop& loop = loop_of(part);
      const std::int64_t end = first + loop.trips;
      out_.open("if (task >= " + std::to_string(first) + " && task < " + std::to_string(end) + ")");
      Indices of_part = at;
      LinearText begin(loop.start - first * loop.step);
      begin.add(1, at.names[loop.dim]);
      begin.add(loop.step, "task");
      declare_block(out_, computation_, of_part, loop.dim, begin);
      print(part.body.front(), of_part, step);
      out_.close();
      first = end;
    }
    close_tasks();
  }

  void fill_box(const ProgramNode& node, const Indices& at, const LinearText& step) {
    const auto& fill = std::get<FillBox>(node.element);
    if (fill.operand == Operand::weights) return fill_weights(fill.weights, node, at, step);
    if (fill.operand == Operand::output) return fill_output(fill.box, node, at, step);
    box_at_ = at;
    emit_box_copy(out_, context_, at, {.operand = Operand::input, .box = fill.box});
    // The box is thread-local, so threads of inner loops share it through this pointer.
    out_.line("const " + context_.number(Operand::input) + " *const boxed = box;");
    print(node.body.front(), at, step);
  }

  void fill_weights(const WeightsOrder& order, const ProgramNode& node, const Indices& at,
                    const LinearText& step) {
    order_ = &order;
    weights_at_ = at;
    weights_step_ = step;
    const std::string number = context_.number(Operand::weights);
    out_.open("");
    out_.line(number + " *packed = weights_box;");
    emit_packing(out_, context_, order, node.body.front(), at);
    out_.close();
    out_.line("const " + number + " *const packed = weights_box;");
    print(node.body.front(), at, step);
  }

  void fill_output(const Tile& box, const ProgramNode& node, const Indices& at,
                   const LinearText& step) {
    sums_at_ = at;
    BoxCopyText copy{.operand = Operand::output, .box = box};
    out_.open("");
    out_.line(context_.number() + " *const sums = products;");
    if (!step.is_constant() || epilogue_.beta != 0) {
      out_.open(epilogue_.beta != 0 ? "" : "if (" + step.text() + " > 0)");
      emit_box_copy(out_, context_, at, copy);
      out_.close();
    }
    print(node.body.front(), at, step);
    copy.back = true;
    emit_box_copy(out_, context_, at, copy);
    out_.close();
  }

  void transform_input(const ProgramNode& node, const Indices& at, const LinearText& step) {
    box_at_ = at;
    emit_input_transforms(out_, context_, at, std::get<TransformInput>(node.element).box);
    out_.line("const float *const boxed = box;");
    print(node.body.front(), at, step);
  }

  void transform_output(const ProgramNode& node, const Indices& at, const LinearText& step) {
    sums_at_ = at;
    out_.open("");
    out_.line("float *const sums = products;");
    print(node.body.front(), at, step);
    emit_output_transforms(out_, context_, at, std::get<TransformOutput>(node.element).box,
                           epilogue_);
    out_.close();
  }

  /// Declares the pointer from which prefetches start: it points to the first weights or inputs of
  /// the next trip of `loop`.
  void declare_next_tile(const Indices& at, const ProgramNode& loop, const LinearText& step) {
    const Operand operand = program_.next_tile_prefetch->operand;
    const std::int64_t first = program_.next_tile_prefetch->first;
    const std::string declared = "const " + context_.number(operand) + " *ahead = ";
    if (operand == Operand::input) {
      out_.line(declared + "input + " + offset_text(context_, operand, at, {}) + " + " +
                std::to_string(first) + ";");
      return;
    }
    const ProgramNode* inside = &loop;
    while (!inside->body.empty()) inside = &inside->body.front();
    LinearText next = weights_text(program_.weights, at, Indices(computation_.dims()));
    next.add(std::get<Compute>(inside->element).base[program_.weights.blocked], step);
    next.add(first);
    out_.line(declared + "packed + " + next.text() + ";");
  }

  void open_tasks(std::int64_t count) {
    in_tasks_ = true;
    out_.directive("#ifdef _OPENMP");
    out_.directive("#pragma omp parallel for");
    out_.directive("#endif");
    out_.open("for (int64_t task = 0; task < " + std::to_string(count) + "; ++task)");
  }

  void close_tasks() {
    out_.close();
    in_tasks_ = false;
  }

  const EmitContext& context_;
  const Computation& computation_;
  const LoopProgram& program_;
  const TargetRow& row_;
  const Epilogue epilogue_;
  const EmittedHead head_;
  // Names the array that holds the boxes. If the name is empty, each box has an array of its own.
  const std::string scratch_;
  std::int64_t scratch_elements_ = 0;
  Indices box_at_;  // The current packed box of the input begins at these indices.
  // The packed weights of the current box begin at these indices and at the reduction step
  // `weights_step_`.
  Indices weights_at_;
  LinearText weights_step_;
  const WeightsOrder* order_ = &program_.weights;
  Indices sums_at_;        // The current box of the output begins at these indices.
  bool in_tasks_ = false;  // If true, the code is inside a loop over tasks, and runs in one thread.
  CWriter out_;
};

}  // namespace

EmittedFunctions emit_functions(const EmitContext& context, const Schedule& schedule,
                                const EmitOptions& options, const std::string& scratch) {
  Emitter emitter(context, schedule, options, scratch);
  std::string source = emitter.emit();
  return {.source = std::move(source),
          .scratch = emitter.scratch_elements(),
          .declaration = emitter.declaration()};
}

}  // namespace tileplan
