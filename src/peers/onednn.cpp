// SPDX-License-Identifier: Apache-2.0
// This file implements oneDNN as a peer, a library with which kernels are compared. Without oneDNN,
// onednn_missing.cpp is compiled instead.
#include "onednn.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <numeric>
#include <oneapi/dnnl/dnnl.hpp>
#include <unordered_map>

#include "buffers.h"
#include "tileplan/error.h"

namespace tileplan {

struct OnednnPeer::State {
  /// Describes one tensor in the caller's layout and in the layout that oneDNN uses.
  struct PlainTensor {
    dnnl::memory::desc plain, own;
    /// Both sizes are in elements and include the gaps between rows of a matrix.
    std::size_t plain_size = 0, own_size = 0;
    ElementType type = ElementType::f32;
  };

  dnnl::engine engine{dnnl::engine::kind::cpu, 0};
  dnnl::stream stream{engine};
  int threads = 1;
  PlainTensor input, output;
  std::string implementation;
  PeerWeights form = PeerWeights::packed;
  /// `plain_buffer` exists only with PeerWeights::reordered.
  std::unique_ptr<Buffer> weights_buffer, plain_buffer;
  dnnl::memory weights, plain_weights;
  dnnl::reorder reorder;
  std::unique_ptr<Buffer> bias_buffer;  ///< The buffer is null without a bias.
  dnnl::memory bias;
  dnnl::primitive primitive;
};

namespace {

using Dims = dnnl::memory::dims;
using Desc = dnnl::memory::desc;
using Tag = dnnl::memory::format_tag;
using State = OnednnPeer::State;
using PlainTensor = State::PlainTensor;

/// Returns oneDNN's name of `type`. Throws Error when oneDNN has none.
dnnl::memory::data_type data_type(ElementType type) {
  using Type = dnnl::memory::data_type;
  switch (type) {
    case ElementType::f32:
      return Type::f32;
    case ElementType::bf16:
      return Type::bf16;
    case ElementType::f16:
      return Type::f16;
    case ElementType::u8:
      return Type::u8;
    case ElementType::s8:
      return Type::s8;
    case ElementType::s32:
      return Type::s32;
    default:
      throw Error("onednn: it has no tensors of " + to_string(type));
  }
}

/// Sets the number of threads of the OpenMP runtime that libdnnl was linked with.
void set_threads(int threads) {
  static void* const set = dlsym(RTLD_DEFAULT, "omp_set_num_threads");
  if (set == nullptr)
    throw Error(
        "onednn: its runtime has no omp_set_num_threads; it must be built with OpenMP, so that its "
        "threads can be set");
  reinterpret_cast<void (*)(int)>(set)(threads);
}

dnnl::memory view(const State& state, const Desc& desc, const ConstElements& values) {
  // oneDNN has no type for read-only memory, but it never writes to a source operand, so the cast
  // is safe.
  return {desc, state.engine, const_cast<char*>(values.data())};
}

void reorder(State& state, dnnl::memory from, dnnl::memory to) {
  set_threads(state.threads);
  dnnl::reorder(from, to).execute(state.stream, from, to);
  state.stream.wait();
}

void require_elements(const char* what, const ConstElements& given, ElementType type,
                      std::size_t expected) {
  if (given.type() != type)
    throw Error(std::string("onednn: ") + what + " is " + to_string(given.type()) + "; must be " +
                to_string(type));
  if (given.size() != expected)
    throw Error(std::string("onednn: ") + what + " has " + std::to_string(given.size()) +
                " elements; must have " + std::to_string(expected));
}

std::size_t elements(const Desc& desc, ElementType type) {
  return desc.get_size() / static_cast<std::size_t>(bytes_of(type));
}

std::size_t product(const Dims& dims) {
  return static_cast<std::size_t>(
      std::accumulate(dims.begin(), dims.end(), std::int64_t{1}, std::multiplies<>()));
}

/// Makes the primitive, and copies the plain weights to an aligned buffer in its layout. For
/// PeerWeights::reordered, it also keeps a plain copy, which each run reorders.
template <class Primitive>
void make_primitive(State& state, const typename Primitive::primitive_desc& described,
                    const ConstElements& weights, const Desc& plain) {
  state.implementation = described.impl_info_str();
  state.primitive = Primitive(described);
  const Desc packed = described.weights_desc();
  state.weights_buffer = std::make_unique<Buffer>(packed.get_size(), ElementType::u8);
  state.weights = dnnl::memory(packed, state.engine, state.weights_buffer->elements().data());
  reorder(state, view(state, plain, weights), state.weights);
  if (state.form != PeerWeights::reordered) return;
  state.plain_buffer = std::make_unique<Buffer>(weights.size(), weights.type());
  std::memcpy(state.plain_buffer->elements().data(), weights.data(),
              state.plain_buffer->size_bytes());
  state.plain_weights = dnnl::memory(plain, state.engine, state.plain_buffer->elements().data());
  state.reorder = dnnl::reorder(state.plain_weights, state.weights);
}

Desc plain_desc(const Dims& dims, ElementType type) {
  const Tag tags[] = {Tag::abcd, Tag::abcde, Tag::abcdef};
  return {dims, data_type(type), tags[dims.size() - 4]};
}

Desc activation_desc(const Dims& dims, ElementType type, PeerLayout layout) {
  if (layout == PeerLayout::nchw) return plain_desc(dims, type);
  const Tag channels_last = dims.size() == 5 ? Tag::ndhwc : Tag::nhwc;
  return {dims, data_type(type), layout == PeerLayout::nhwc ? channels_last : Tag::any};
}

/// Returns the clamp of `epilogue` as an operation that oneDNN applies to the sums.
dnnl::post_ops clamp_of(const Epilogue& epilogue) {
  dnnl::post_ops operations;
  constexpr double kMost = std::numeric_limits<float>::max();
  if (epilogue.low < -kMost && epilogue.high > kMost) return operations;
  const bool is_relu = epilogue.low == 0 && epilogue.high > kMost;
  const auto algorithm = is_relu ? dnnl::algorithm::eltwise_relu : dnnl::algorithm::eltwise_clip;
  const auto low = static_cast<float>(std::max(epilogue.low, -kMost));
  const auto high = static_cast<float>(std::min(epilogue.high, kMost));
#if DNNL_VERSION_MAJOR >= 3
  operations.append_eltwise(algorithm, low, is_relu ? 0 : high);
#else
  operations.append_eltwise(1, algorithm, low, is_relu ? 0 : high);
#endif
  return operations;
}

/// Returns the clamp, scales and zero points of the epilogue as attributes of oneDNN. `channels` is
/// the index of the output's dimension that holds channels.
dnnl::primitive_attr attributes_of(const PeerEpilogue& given, int channels) {
  dnnl::primitive_attr attributes;
  attributes.set_post_ops(clamp_of(given.epilogue));
  if (given.epilogue.quantisation == Quantisation{}) return attributes;
#if DNNL_VERSION_MAJOR >= 3
  throw Error("onednn: version 3 takes numbers that quantise tensors in another way; must be 2");
#else
  const Addends& addends = given.addends;
  const ConstElements& scales = addends.requantisation.scales;
  const auto* const numbers = reinterpret_cast<const float*>(scales.data());
  if (!scales.empty())
    attributes.set_output_scales(scales.size() == 1 ? 0 : 1 << channels,
                                 {numbers, numbers + scales.size()});
  if (given.epilogue.quantisation.input_zero_point)
    attributes.set_zero_points(DNNL_ARG_SRC, 0, {addends.input_zero_point});
  if (given.epilogue.quantisation.output_zero_point)
    attributes.set_zero_points(DNNL_ARG_DST, 0, {addends.requantisation.zero_point});
  return attributes;
#endif
}

/// Copies the bias, whose dimensions are `dims`, and returns its description, which is empty
/// without a bias.
Desc take_bias(State& state, const PeerEpilogue& given, const Dims& dims) {
  if (!given.epilogue.bias) return {};
  const ConstElements& bias = given.addends.bias;
  require_elements("bias", bias, bias.type(), product(dims));
  const Desc desc(dims, data_type(bias.type()),
                  dims.size() == 1   ? Tag::a
                  : dims.size() == 2 ? Tag::ab
                                     : Tag::abc);
  state.bias_buffer = std::make_unique<Buffer>(bias.size(), bias.type());
  std::memcpy(state.bias_buffer->elements().data(), bias.data(), state.bias_buffer->size_bytes());
  state.bias = dnnl::memory(desc, state.engine, state.bias_buffer->elements().data());
  return desc;
}

struct Convolution {
  Dims input, weights, output, strides, gaps, before, after;
  TensorTypes types;

  explicit Convolution(const ConvShape& shape)
      : input{shape.n, shape.c},
        weights{shape.k / shape.g, shape.c / shape.g},
        output{shape.n, shape.k},
        types(shape.types) {
    if (shape.g > 1) weights.insert(weights.begin(), shape.g);
    if (shape.depth != Axis{}) add(shape.depth);
    add(shape.height);
    add(shape.width);
  }

 private:
  void add(const Axis& axis) {
    input.push_back(axis.in);
    weights.push_back(axis.filter);
    output.push_back(axis.out);
    strides.push_back(axis.stride);
    gaps.push_back(axis.dilation - 1);
    before.push_back(axis.pad_before);
    after.push_back(axis.pad_after);
  }
};

dnnl::convolution_forward::primitive_desc describe(State& state, const Convolution& conv,
                                                   const PeerOptions& options) {
  const Desc bias = take_bias(state, options.epilogue, {conv.output[1]});
  const dnnl::primitive_attr attributes = attributes_of(options.epilogue, 1);
  const Desc input = activation_desc(conv.input, conv.types.input, options.layout);
  const Desc weights = options.weights == PeerWeights::plain
                           ? plain_desc(conv.weights, conv.types.weights)
                           : Desc(conv.weights, data_type(conv.types.weights), Tag::any);
  const Desc output = activation_desc(conv.output, conv.types.output, options.layout);
  constexpr auto kForward = dnnl::prop_kind::forward_inference;
  const auto algorithm = options.winograd ? dnnl::algorithm::convolution_winograd
                                          : dnnl::algorithm::convolution_direct;
#if DNNL_VERSION_MAJOR >= 3
  return {state.engine, kForward,     algorithm, input,       weights,    bias,
          output,       conv.strides, conv.gaps, conv.before, conv.after, attributes};
#else
  return {{kForward, algorithm, input, weights, bias, output, conv.strides, conv.gaps, conv.before,
           conv.after},
          attributes,
          state.engine};
#endif
}

dnnl::matmul::primitive_desc describe(State& state, const Desc& weights,
                                      const PeerOptions& options) {
  Dims columns(static_cast<std::size_t>(weights.dims().size()), 1);
  columns.back() = weights.dims().back();
  const Desc bias = take_bias(state, options.epilogue, columns);
  const dnnl::primitive_attr attributes =
      attributes_of(options.epilogue, static_cast<int>(columns.size()) - 1);
#if DNNL_VERSION_MAJOR >= 3
  return {state.engine, state.input.plain, weights, bias, state.output.plain, attributes};
#else
  return {{state.input.plain, weights, bias, state.output.plain}, attributes, state.engine};
#endif
}

void make_conv(State& state, const ConvShape& shape, const ConstElements& weights,
               const PeerOptions& options) {
  const Convolution conv(shape);
  const TensorTypes& types = shape.types;
  require_elements("weights", weights, types.weights, product(conv.weights));
  const auto described = describe(state, conv, options);
  const auto activation = [](const Dims& dims, const Desc& own, ElementType type) -> PlainTensor {
    return {plain_desc(dims, type), own, product(dims), elements(own, type), type};
  };
  state.input = activation(conv.input, described.src_desc(), types.input);
  state.output = activation(conv.output, described.dst_desc(), types.output);
  make_primitive<dnnl::convolution_forward>(state, described, weights,
                                            plain_desc(conv.weights, types.weights));
}

/// Describes matrices of `rows` x `columns` elements. If `transposed`, the stored rows are columns.
/// A batch of one product has no dimension for the batch, because oneDNN is faster then. A matrix
/// that all products share has a batch of 1.
struct Matrices {
  std::int64_t batch, rows, columns, pitch;
  ElementType type;
  bool transposed = false;
  std::optional<std::int64_t> distance = {};

  std::int64_t stored_rows() const { return transposed ? columns : rows; }
  std::int64_t stored_columns() const { return transposed ? rows : columns; }
  std::int64_t own() const { return distance == 0 ? 1 : batch; }
  std::int64_t apart() const { return distance ? *distance : stored_rows() * pitch; }
  Dims sizes() const { return batch == 1 ? Dims{rows, columns} : Dims{own(), rows, columns}; }
  Dims strides() const {
    Dims all = transposed ? Dims{1, pitch} : Dims{pitch, 1};
    if (batch > 1) all.insert(all.begin(), std::max<std::int64_t>(apart(), 1));
    return all;
  }
  Desc plain() const { return {sizes(), data_type(type), strides()}; }
  std::size_t elements() const {
    if (distance.value_or(0) == 0) return product({own(), stored_rows(), pitch});
    return static_cast<std::size_t>((batch - 1) * *distance + (stored_rows() - 1) * pitch +
                                    stored_columns());
  }
  PlainTensor activation() const { return {plain(), plain(), elements(), elements(), type}; }
};

void make_gemm(State& state, const GemmShape& shape, const ConstElements& weights,
               const PeerOptions& options) {
  const TensorTypes& types = shape.types;
  const Matrices b{shape.b, shape.k, shape.n, shape.ldb, types.weights, shape.tb, shape.sb};
  require_elements("weights", weights, types.weights, b.elements());
  state.input =
      Matrices{shape.b, shape.m, shape.k, shape.lda, types.input, shape.ta, shape.sa}.activation();
  state.output =
      Matrices{shape.b, shape.m, shape.n, shape.ldc, types.output, false, shape.sc}.activation();
  const Desc any(b.sizes(), data_type(types.weights), Tag::any);
  make_primitive<dnnl::matmul>(
      state, describe(state, options.weights == PeerWeights::plain ? b.plain() : any, options),
      weights, b.plain());
}

}  // namespace

void require_peer_epilogue(const Epilogue& epilogue) {
  if (epilogue.alpha != 1 || epilogue.beta != 0 || epilogue.add || epilogue.activation.any() ||
      epilogue.quantisation.weights_zero_points != Granularity::none)
    throw Error("onednn: the epilogue " + to_string(epilogue) +
                " is not compared; must have no alpha, beta, add, activation and weights-zero");
}

bool onednn_adds_bytes_exactly() { return __builtin_cpu_supports("avx512vnni") != 0; }

std::string onednn_version() {
  const dnnl_version_t* version = dnnl_version();
  return std::to_string(version->major) + "." + std::to_string(version->minor) + "." +
         std::to_string(version->patch);
}

OnednnPeer::OnednnPeer(const Problem& problem, const ConstElements& weights,
                       const PeerOptions& options) {
  try {
    require_peer_epilogue(options.epilogue.epilogue);
    state_ = std::make_shared<State>();
    state_->threads = options.threads;
    state_->form = options.weights;
    set_threads(options.threads);
    if (const auto* conv = std::get_if<ConvShape>(&problem))
      make_conv(*state_, *conv, weights, options);
    else
      make_gemm(*state_, std::get<GemmShape>(problem), weights, options);
  } catch (const dnnl::error& error) {
    throw Error("onednn: it refuses \"" + to_string(problem) + "\": " + error.what());
  }
}

std::string OnednnPeer::implementation() const { return state_->implementation; }
std::span<const std::byte> OnednnPeer::read_weights() const {
  return (state_->plain_buffer ? state_->plain_buffer : state_->weights_buffer)->bytes();
}
std::size_t OnednnPeer::input_size() const { return state_->input.own_size; }
std::size_t OnednnPeer::output_size() const { return state_->output.own_size; }

void OnednnPeer::load_input(const ConstElements& plain, const Elements& input) const {
  const PlainTensor& activation = state_->input;
  require_elements("plain input", plain, activation.type, activation.plain_size);
  require_elements("input", input, activation.type, activation.own_size);
  reorder(*state_, view(*state_, activation.plain, plain), view(*state_, activation.own, input));
}

Buffer OnednnPeer::plain_output(const ConstElements& output) const {
  const PlainTensor& activation = state_->output;
  require_elements("output", output, activation.type, activation.own_size);
  Buffer plain(activation.plain_size, activation.type);
  reorder(*state_, view(*state_, activation.own, output),
          view(*state_, activation.plain, plain.elements()));
  return plain;
}

std::function<void()> OnednnPeer::bind(const ConstElements& input, const Elements& output) const {
  require_elements("input", input, state_->input.type, state_->input.own_size);
  require_elements("output", output, state_->output.type, state_->output.own_size);
  std::unordered_map<int, dnnl::memory> arguments = {
      {DNNL_ARG_SRC, view(*state_, state_->input.own, input)},
      {DNNL_ARG_WEIGHTS, state_->weights},
      {DNNL_ARG_DST, view(*state_, state_->output.own, output)}};
  if (state_->bias_buffer) arguments.emplace(DNNL_ARG_BIAS, state_->bias);
  return [state = state_, arguments = std::move(arguments)] {
    set_threads(state->threads);
    if (state->plain_buffer)
      state->reorder.execute(state->stream, state->plain_weights, state->weights);
    state->primitive.execute(state->stream, arguments);
    state->stream.wait();
  };
}

}  // namespace tileplan
