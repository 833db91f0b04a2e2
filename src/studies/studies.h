// SPDX-License-Identifier: Apache-2.0
// Each study writes tables, plots and summary.txt into `options.folder` layer by layer. Each throws
// Error when an option makes no sense or a table exists that the study may not continue.
#pragma once

#include "gemm_peers.h"
#include "study.h"
#include "throughput.h"

namespace tileplan {

/// Measures the 200 candidates of `tileplan candidates`, the best schedules of the records, the
/// plan's first ten and `options.schedules` random schedules, then the most promising of these
/// twice more.
void study_candidates(const Machine& machine, const StudyOptions& options, const Print& print);

/// Divides `options.measurements` random schedules of each layer into those with one microkernel
/// and those with two, and plots the share of each kind that reaches each percentage of peak.
void study_combinations(const Machine& machine, const StudyOptions& options, const Print& print);

/// Runs all strategies on each layer with `options.measurements` measurements each, then measures
/// the best schedules of each again. Layers and searches share `options.budget_seconds` evenly.
void study_convergence(const Machine& machine, const StudyOptions& options, const Print& print);

/// Measures `options.measurements` random schedules of each layer and the model's first ten.
void study_distribution(const Machine& machine, const StudyOptions& options, const Print& print);

/// Compares the model's first ten schedules with equal tiles with its first ten with uneven tiles.
void study_divisibility(const Machine& machine, const StudyOptions& options, const Print& print);

/// Measures all tile sizes of expectation.h, and finds out whether a chain of falling times leads
/// from the untiled kernel to the fastest one.
void study_expectation(const Machine& machine, const StudyOptions& options, const Print& print);

/// Writes the milliseconds of complete plans: growth.csv for operators of 3 to 8 loops on 2, 3 and
/// 4 cache levels, plan_time.csv for each layer. Throws Error when `machine` has fewer than three
/// caches.
void study_growth(const Machine& machine, const StudyOptions& options, const Print& print);

/// Measures each of `tiles`, by default all that fit the register file, as `calibrate` does. The
/// share of peak is for a call of 512 reduction steps, as in the TTile paper (T(512,c)).
void study_microkernels(const Machine& machine, const StudyOptions& options, const Print& print,
                        std::vector<RegisterTile> tiles = {});

/// Run droplet search on each layer, and measure the winners again. The first study compares five
/// significance levels, the second compares search without and with speculation.
void study_p_value(const Machine& machine, const StudyOptions& options, const Print& print);
void study_speculation(const Machine& machine, const StudyOptions& options, const Print& print);

/// Times the model's first ten schedules and `options.schedules` random schedules of each layer in
/// turns, then the fastest three of each kind once more.
void study_ranking(const Machine& machine, const StudyOptions& options, const Print& print);

/// Compares our plan of each product with the fastest single register tile (with a smaller tile for
/// the remaining rows, or padded rows) and with `peers`, each in `options.measurements` adjacent
/// pairs. The results say for each side what its time includes: peers pack inside their time, and
/// our kernels read B that was packed before.
void study_smallgemm(const Machine& machine, const StudyOptions& options,
                     const std::vector<GemmPeer>& peers, const Print& print);

/// Returns the products of TACO's figure: m = 8 ... 50, n = k = 128.
std::vector<Problem> small_products();

/// Computes the costs of surfaces.h and the points at which descent ends. Nothing is measured.
void study_surfaces(const StudyOptions& options, const Print& print);

/// Draw the plots of a table again. `origin` is the path of the table, for errors and titles.
void draw_convergence(const std::string& text, const std::string& origin,
                      const StudyFolder& folder);
void draw_microkernels(const std::string& text, const std::string& origin,
                       const StudyFolder& folder);
void draw_ranking(const std::string& text, const std::string& origin, const StudyFolder& folder);

}  // namespace tileplan
