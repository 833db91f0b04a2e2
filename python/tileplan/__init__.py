# SPDX-License-Identifier: Apache-2.0
"""tileplan chooses loop orders, tile sizes and microkernels for convolutions and matrix products.

Names and defaults are those of the C++ interface, whose headers document each field."""
from ._tileplan import (
    AlgorithmBound, ArenaSize, Axis, CacheLevel, Candidate, CandidateList, Certificate, Check, ClockRates, CompiledNetwork,
    ConvShape, CpuSignature, Divisibility, EmittedC, Epilogue, Error, Explanation, Failure, GemmBlocks, GemmCacheCounts,
    GemmExplanation, GemmOccupancy, GemmShape, Graph, Kernel, KernelRate, LayerTable, LayoutProof, LevelExplanation,
    LevelPrediction, LevelTensor, ListedCandidate, ListedLayer, LoopExtent, LoopOrderClass, LoopOrderClasses, LowerBound,
    Machine, MeasuredRates, Measurement, MeasureRequest, MeasureResult, MicrokernelCalls, NarrowUnit, NetworkBuffer,
    NetworkCheck, NetworkLayer, NetworkPlan, NetworkStep, NetworkTimes, Options, OrderExplanation, Packed, PackedOperand, Part, PerLevelProof,
    Plan, Prediction, Provenance, Quantisation, Record, Records, Rejected, Relation, RepackSeconds, Rival, Schedule, Specifier,
    StagePrediction, StepCheck, TensorMovement, Unhidden, Unplanned, VectorUnit, WinogradBox, WrittenCandidates, build_info,
    calibration_text, clear_gemm_cache, detect_machine, emit_c, emit_network, flops, format_seconds, gemm_cache_counts,
    host_mismatch, layer_tables, layers_of, load_layers, load_machine, load_network, load_onnx, load_plan, loops_of,
    machine_cache_path, machine_for, machine_type, name_of, parse_conv, parse_epilogue, parse_gemm, parse_problem,
    parse_result, parse_schedule, records_path, requests_of, save_machine, save_network, save_plan, shipped_machines,
    verify, version, write_candidates)
from ._display import Movement, Report, Tuned
from ._gemm import gemm
from ._measuring import measure, requests, tune
from ._planning import (
    OptionFields, bound, calibrate, candidates, classes, compile, conv_shape, explain, movement, plan, plan_conv,
    plan_gemm, plan_network, plan_of, report)

__version__ = version().split()[0]
__all__ = [name for name in dir() if not name.startswith("_")]
