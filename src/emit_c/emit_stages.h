// SPDX-License-Identifier: Apache-2.0
// This file writes the stages of kernels that need them (has_stages() in stage_plan.h).
#pragma once

#include <string>

#include "emitted_head.h"
#include "target.h"

namespace tileplan {

/// Returns the parameters of the function NAME_`verb`, where `verb` is "pack", "loops" or "run".
std::string stage_parameters(const EmittedHead& head, const std::string& verb);

/// Writes two parts of the head comment: the arrays besides the tensors of the problem (zero points
/// of weights, scales, packed weights and the workspace), and the flags that make compilers use
/// instructions for dot products.
void describe_stages(CWriter& out, const EmittedHead& head);

/// Writes the macros STAGE (attributes) and ROUND_EACH (a pragma) for functions that run stages,
/// and the functions for the conversions of bf16 and f16 that the kernel needs.
void emit_stage_macros(CWriter& out, const EmitContext& context, const TargetRow& row);

/// Writes code that packs the strip of weights at `at`. Elements are zero past the last channel (or
/// tap), and where the C condition `exists` is false. An empty `exists` counts as true.
void emit_strip_packing(CWriter& out, const EmitContext& context, Indices at, std::string exists);

/// Writes the code that packs zero points and sums of weights together with the weights.
void emit_packed_sums(CWriter& out, const EmitContext& context);

/// Writes the body of NAME_run: copies, corrections, the loops and the conversion of their sums.
void emit_stages(CWriter& out, const EmittedHead& head);

/// Writes loops that sum the input over channels, and then over the filter windows of output
/// pixels.
void emit_input_sums(CWriter& out, const EmitContext& context);

/// Writes the loops that correct and convert finished sums.
void emit_finish(CWriter& out, const EmitContext& context);

/// Writes a directive that shares the next `loops` loops among threads, if the schedule has
/// parallel loops.
void emit_parallel(CWriter& out, const StagePlan& stages, std::size_t loops = 1);

}  // namespace tileplan
