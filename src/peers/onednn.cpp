// SPDX-License-Identifier: Apache-2.0
// Runs oneDNN where it was found; onednn_missing.cpp takes its place otherwise.
#include "onednn.h"

#include <dlfcn.h>

#include <algorithm>
#include <oneapi/dnnl/dnnl.hpp>
#include <unordered_map>
#include <utility>

#include "buffers.h"
#include "tileplan/error.h"

namespace tileplan {

struct OnednnPeer::State {
  dnnl::engine engine{dnnl::engine::kind::cpu, 0};
  dnnl::stream stream{engine};
  int threads = 1;
  dnnl::memory::desc plain_input, plain_output;  ///< as the caller's tensors
  std::size_t plain_input_size = 0,
              plain_output_size = 0;            ///< elements, gaps between rows included
  std::size_t input_size = 0, output_size = 0;  ///< elements of the peer's own buffers
  dnnl::memory::desc input, output;             ///< as the primitive wants them
  std::string implementation, layout;
  std::unique_ptr<Buffer> weights_buffer;
  dnnl::memory weights;
  dnnl::primitive primitive;
};

namespace {

using Dims = dnnl::memory::dims;
using Desc = dnnl::memory::desc;
using Tag = dnnl::memory::format_tag;
using State = OnednnPeer::State;

constexpr auto kFloat = dnnl::memory::data_type::f32;

/// A function of the OpenMP runtime that libdnnl was linked with, whichever that is.
template <class Function>
Function* openmp_function(const char* name) {
  void* address = dlsym(RTLD_DEFAULT, name);
  if (address == nullptr) {
    throw Error(std::string("onednn: its runtime has no ") + name +
                "; it must be built with OpenMP, so that its threads can be set");
  }
  return reinterpret_cast<Function*>(address);
}

void set_threads(int threads) {
  static auto* const set = openmp_function<void(int)>("omp_set_num_threads");
  set(threads);
}

dnnl::memory view(const State& state, const Desc& desc, std::span<const float> values) {
  // oneDNN has no read-only memory; what is read here is only ever passed as a source.
  return {desc, state.engine, const_cast<float*>(values.data())};
}

void reorder(State& state, dnnl::memory from, dnnl::memory to) {
  set_threads(state.threads);
  dnnl::reorder(from, to).execute(state.stream, from, to);
  state.stream.wait();
}

void require_size(const char* what, std::size_t size, std::size_t expected) {
  if (size == expected) return;
  throw Error(std::string("onednn: ") + what + " has " + std::to_string(size) +
              " elements; must have " + std::to_string(expected));
}

std::size_t elements(const Desc& desc) { return desc.get_size() / sizeof(float); }

std::size_t product(const Dims& dims) {
  std::size_t result = 1;
  for (const auto dim : dims) result *= static_cast<std::size_t>(dim);
  return result;
}

/// Moves the plain weights into a buffer like ours, in the order that the primitive wants.
void pack_weights(State& state, std::span<const float> weights, const Desc& plain,
                  const Desc& packed) {
  state.weights_buffer = std::make_unique<Buffer>(elements(packed));
  state.weights = dnnl::memory(packed, state.engine, state.weights_buffer->data());
  reorder(state, view(state, plain, weights), state.weights);
}

/// Returns the name that Layout uses, which leaves the depth out.
std::string layout_name(const Desc& desc, const Dims& dims) {
  struct Known {
    const char* name;
    Tag tag;
    std::size_t dims;
  };
  constexpr Known kKnown[] = {
      {"nchw", Tag::nchw, 4},     {"nhwc", Tag::nhwc, 4},        {"nChw16c", Tag::nChw16c, 4},
      {"nChw8c", Tag::nChw8c, 4}, {"nChw4c", Tag::nChw4c, 4},    {"nchw", Tag::ncdhw, 5},
      {"nhwc", Tag::ndhwc, 5},    {"nChw16c", Tag::nCdhw16c, 5}, {"nChw8c", Tag::nCdhw8c, 5}};
  for (const Known& known : kKnown)
    if (known.dims == dims.size() && desc == Desc(dims, kFloat, known.tag)) return known.name;
  return "other";
}

Tag tag_of(PeerLayout layout, std::size_t dims) {
  const bool deep = dims == 5;
  if (layout == PeerLayout::nhwc) return deep ? Tag::ndhwc : Tag::nhwc;
  if (layout == PeerLayout::nchw) return deep ? Tag::ncdhw : Tag::nchw;
  return Tag::any;
}

Tag plain_tag(std::size_t dims) {
  if (dims == 4) return Tag::abcd;
  return dims == 5 ? Tag::abcde : Tag::abcdef;
}

struct Convolution {
  Dims input, weights, output, strides, gaps, before, after;

  explicit Convolution(const ConvShape& shape)
      : input{shape.n, shape.c},
        weights{shape.k / shape.g, shape.c / shape.g},
        output{shape.n, shape.k} {
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

dnnl::convolution_forward::primitive_desc describe(const State& state, const Convolution& conv,
                                                   PeerLayout layout) {
  const Desc input(conv.input, kFloat, tag_of(layout, conv.input.size()));
  const Desc weights(conv.weights, kFloat, Tag::any);
  const Desc output(conv.output, kFloat, tag_of(layout, conv.output.size()));
  constexpr auto kForward = dnnl::prop_kind::forward_inference;
  constexpr auto kDirect = dnnl::algorithm::convolution_direct;
#if DNNL_VERSION_MAJOR >= 3
  return {state.engine, kForward,     kDirect,   input,       weights,
          output,       conv.strides, conv.gaps, conv.before, conv.after};
#else
  return {
      {kForward, kDirect, input, weights, output, conv.strides, conv.gaps, conv.before, conv.after},
      state.engine};
#endif
}

dnnl::matmul::primitive_desc describe(const State& state, const Desc& weights) {
#if DNNL_VERSION_MAJOR >= 3
  return {state.engine, state.plain_input, weights, state.plain_output};
#else
  return {{state.plain_input, weights, state.plain_output}, state.engine};
#endif
}

std::shared_ptr<State> make_conv(const ConvShape& shape, std::span<const float> weights,
                                 const PeerOptions& options) {
  auto state = std::make_shared<State>();
  state->threads = options.threads;
  set_threads(options.threads);
  const Convolution conv(shape);
  require_size("weights", weights.size(), product(conv.weights));
  const auto described = describe(*state, conv, options.layout);
  state->implementation = described.impl_info_str();
  state->primitive = dnnl::convolution_forward(described);
  state->plain_input = Desc(conv.input, kFloat, tag_of(PeerLayout::nchw, conv.input.size()));
  state->plain_output = Desc(conv.output, kFloat, tag_of(PeerLayout::nchw, conv.output.size()));
  state->plain_input_size = product(conv.input);
  state->plain_output_size = product(conv.output);
  state->input = described.src_desc();
  state->output = described.dst_desc();
  state->input_size = elements(state->input);
  state->output_size = elements(state->output);
  const std::string in = layout_name(state->input, conv.input);
  const std::string out = layout_name(state->output, conv.output);
  state->layout = in == out ? in : in + "/" + out;
  const Desc plain(conv.weights, kFloat, plain_tag(conv.weights.size()));
  pack_weights(*state, weights, plain, described.weights_desc());
  return state;
}

/// A batch of row-major matrices; a batch of one is no dimension, which oneDNN runs faster.
struct Matrices {
  std::int64_t batch, rows, columns, pitch;

  Dims sizes() const { return batch == 1 ? Dims{rows, columns} : Dims{batch, rows, columns}; }
  Dims strides() const { return batch == 1 ? Dims{pitch, 1} : Dims{rows * pitch, pitch, 1}; }
  Desc plain() const { return {sizes(), kFloat, strides()}; }
  Desc any() const { return {sizes(), kFloat, Tag::any}; }
  std::size_t elements() const { return product({batch, rows, pitch}); }
};

std::shared_ptr<State> make_gemm(const GemmShape& shape, std::span<const float> weights,
                                 const PeerOptions& options) {
  const Matrices a{shape.b, shape.m, shape.k, shape.lda};
  const Matrices b{shape.b, shape.k, shape.n, shape.ldb};
  const Matrices c{shape.b, shape.m, shape.n, shape.ldc};
  require_size("weights", weights.size(), b.elements());
  auto state = std::make_shared<State>();
  state->threads = options.threads;
  set_threads(options.threads);
  state->plain_input = state->input = a.plain();
  state->plain_output = state->output = c.plain();
  state->input_size = state->plain_input_size = a.elements();
  state->output_size = state->plain_output_size = c.elements();
  const auto described = describe(*state, b.any());
  state->implementation = described.impl_info_str();
  state->primitive = dnnl::matmul(described);
  state->layout = "plain";
  pack_weights(*state, weights, b.plain(), described.weights_desc());
  return state;
}

/// Calls `make`, and turns oneDNN's errors into an Error that names the problem.
template <class Make>
std::shared_ptr<State> make_or_refuse(const Problem& problem, const Make& make) {
  try {
    return make();
  } catch (const dnnl::error& error) {
    throw Error("onednn: it refuses \"" + to_string(problem) + "\": " + error.what());
  }
}

}  // namespace

std::string onednn_version() {
  const dnnl_version_t* version = dnnl_version();
  return std::to_string(version->major) + "." + std::to_string(version->minor) + "." +
         std::to_string(version->patch);
}

OnednnPeer::OnednnPeer(const ConvShape& shape, std::span<const float> weights,
                       const PeerOptions& options)
    : state_(make_or_refuse(shape, [&] { return make_conv(shape, weights, options); })) {}

OnednnPeer::OnednnPeer(const GemmShape& shape, std::span<const float> weights,
                       const PeerOptions& options)
    : state_(make_or_refuse(shape, [&] { return make_gemm(shape, weights, options); })) {}

std::string OnednnPeer::implementation() const { return state_->implementation; }
std::string OnednnPeer::layout() const { return state_->layout; }
std::span<const float> OnednnPeer::packed_weights() const { return state_->weights_buffer->span(); }
std::size_t OnednnPeer::input_size() const { return state_->input_size; }
std::size_t OnednnPeer::output_size() const { return state_->output_size; }

void OnednnPeer::load_input(std::span<const float> plain, std::span<float> input) const {
  require_size("plain input", plain.size(), state_->plain_input_size);
  require_size("input", input.size(), state_->input_size);
  reorder(*state_, view(*state_, state_->plain_input, plain), view(*state_, state_->input, input));
}

std::vector<float> OnednnPeer::plain_output(std::span<const float> output) const {
  require_size("output", output.size(), state_->output_size);
  std::vector<float> plain(state_->plain_output_size);
  reorder(*state_, view(*state_, state_->output, output),
          view(*state_, state_->plain_output, plain));
  return plain;
}

std::function<void()> OnednnPeer::bind(std::span<const float> input,
                                       std::span<float> output) const {
  require_size("input", input.size(), state_->input_size);
  require_size("output", output.size(), state_->output_size);
  std::unordered_map<int, dnnl::memory> arguments = {
      {DNNL_ARG_SRC, view(*state_, state_->input, input)},
      {DNNL_ARG_WEIGHTS, state_->weights},
      {DNNL_ARG_DST, view(*state_, state_->output, output)}};
  return [state = state_, arguments = std::move(arguments)] {
    set_threads(state->threads);
    state->primitive.execute(state->stream, arguments);
    state->stream.wait();
  };
}

}  // namespace tileplan
