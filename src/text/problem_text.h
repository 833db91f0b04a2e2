// SPDX-License-Identifier: Apache-2.0
// Each kind of problem has its own reader and writer. The readers require texts without options and
// without blanks at either end.
#pragma once

#include "descriptor.h"

namespace tileplan {

inline constexpr Key kConvKeys[] = {
    {"g"},  {"mb"}, {"ic"}, {"ih"},    {"iw"},    {"oc"},    {"oh"},    {"ow"},    {"kh"},
    {"kw"}, {"sh"}, {"sw"}, {"ph", 0}, {"pw", 0}, {"ah", 0}, {"aw", 0}, {"dh", 0}, {"dw", 0},
    {"id"}, {"od"}, {"kd"}, {"sd"},    {"pd", 0}, {"ad", 0}, {"dd", 0}};
inline constexpr Key kGemmKeys[] = {{"b"},   {"m"},     {"n"},     {"k"},     {"lda"},   {"ldb"},
                                    {"ldc"}, {"ta", 0}, {"tb", 0}, {"sa", 0}, {"sb", 0}, {"sc"}};

/// The readers throw Error with the wrong value and the rule. Callers add the whole text to the
/// message.
ConvShape read_conv(std::string_view text);
GemmShape read_gemm(std::string_view text);
Relation read_relation(std::string_view text);

std::string text_of(const Relation& relation);

/// Returns the option with which the canonical text of `types` starts: "--dt=f64 ", or "" for f32.
std::string type_prefix(const TensorTypes& types);

/// Returns the layer called `name` in the embedded tables, or nothing when there is none.
std::optional<Problem> find_layer(std::string_view name);

std::string layer_table_names();

/// Returns the reason why `text` is not the name of a layer if it ends in .onnx, .csv or .log, is
/// the name of a table, starts as the numbered layers of a table do, or is similar to the name of a
/// layer. Otherwise returns an empty text.
std::string hint_about_layers(std::string_view text);

}  // namespace tileplan
