// SPDX-License-Identifier: Apache-2.0
// Each study writes tables, plots and summary.txt into `options.folder` layer by layer, and throws
// Error when an option makes no sense or when it may not go on with a table that exists.
#pragma once

#include "gemm_peers.h"
#include "study.h"
#include "throughput.h"

namespace tileplan {

/// Measures the 200 candidates of `tileplan candidates` beside the best of the records, the plan's
/// first ten and `options.schedules` random schedules, then the most promising ones twice more.
void study_candidates(const Machine& machine, const StudyOptions& options, const Print& print);

/// Splits `options.measurements` draws of each layer into schedules with one microkernel and with
/// two, and plots the share of each that reaches a share of peak.
void study_combinations(const Machine& machine, const StudyOptions& options, const Print& print);

/// Runs all strategies on each layer with `options.measurements` measurements each, then measures
/// the best of each again. Layers and searches share `options.budget_seconds` evenly.
void study_convergence(const Machine& machine, const StudyOptions& options, const Print& print);

/// Measures `options.measurements` random schedules of each layer and the model's first ten.
void study_distribution(const Machine& machine, const StudyOptions& options, const Print& print);

/// Compares the model's first ten schedules whose tiles all divide with its first ten uneven ones.
void study_divisibility(const Machine& machine, const StudyOptions& options, const Print& print);

/// Measures all tile sizes of expectation.h, and says whether a falling chain leads from the
/// untiled kernel to the fastest one.
void study_expectation(const Machine& machine, const StudyOptions& options, const Print& print);

/// Writes the milliseconds of a complete plan: growth.csv for operators of 3 to 8 loops on 2, 3 and
/// 4 levels, plan_time.csv for each layer. Throws Error when `machine` has fewer than three caches.
void study_growth(const Machine& machine, const StudyOptions& options, const Print& print);

/// Measures each of `tiles`, by default all that fit the register file, as `calibrate` does. The
/// share of peak is that of a call of 512 steps (the TTile paper's T(512,c)).
void study_microkernels(const Machine& machine, const StudyOptions& options, const Print& print,
                        std::vector<RegisterTile> tiles = {});

/// Runs droplet search at five levels of significance, without and with speculation, on each layer,
/// and measures the winners again.
void study_p_value(const Machine& machine, const StudyOptions& options, const Print& print);
void study_speculation(const Machine& machine, const StudyOptions& options, const Print& print);

/// Times the model's first ten schedules and `options.schedules` random ones of each layer
/// interleaved, then the fastest three of both origins once more.
void study_ranking(const Machine& machine, const StudyOptions& options, const Print& print);

/// Compares our plan of each product with the fastest single register tile (a smaller tile for the
/// rows left over, or padded rows) and with `peers`, each in `options.measurements` adjacent pairs.
/// Peers pack inside their time, and our kernels read B that was packed before.
void study_smallgemm(const Machine& machine, const StudyOptions& options,
                     const std::vector<GemmPeer>& peers, const Print& print);

/// Returns the products of TACO's figure: m = 8 ... 50, n = k = 128.
std::vector<Problem> small_products();

/// Computes the costs of surfaces.h and where descent ends. No machine takes part.
void study_surfaces(const StudyOptions& options, const Print& print);

/// Draws the plots of a table again. `origin` is its path, for errors and titles.
void draw_convergence(const std::string& text, const std::string& origin,
                      const StudyFolder& folder);
void draw_microkernels(const std::string& text, const std::string& origin,
                       const StudyFolder& folder);
void draw_ranking(const std::string& text, const std::string& origin, const StudyFolder& folder);

}  // namespace tileplan
