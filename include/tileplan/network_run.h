// SPDX-License-Identifier: Apache-2.0
// compile() of a planned network makes an object that runs the whole network.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "tileplan/elements.h"
#include "tileplan/network.h"
#include "tileplan/verify.h"
#include "tileplan/visibility.h"

namespace TILEPLAN_PUBLIC tileplan {

struct NetworkCode;

/// Holds the memory of one run. Each thread needs its own workspace. A moved-from workspace is
/// empty.
class Workspace {
 public:
  /// Allocates memory that is filled with zeros and aligned to 64 bytes. Throws std::bad_alloc.
  explicit Workspace(std::size_t bytes);
  char* data() const { return memory_.get(); }
  std::size_t size_bytes() const { return memory_ ? bytes_ : 0; }

 private:
  struct Free {
    void operator()(char* memory) const;
  };
  std::unique_ptr<char[], Free> memory_;
  std::size_t bytes_ = 0;
};

/// Lists row-major tensors of the types of the graph, in the order of Graph::inputs.
using NetworkInputs = std::span<const ConstElements>;
/// Lists row-major tensors of the types of the graph, in the order of Graph::outputs.
using NetworkOutputs = std::span<const Elements>;

/// Runs a network. A compiled network is immutable, so several threads may run it at once, each
/// with its own workspace and outputs. Copies share code and weights.
class CompiledNetwork {
 public:
  const NetworkPlan& plan() const;

  /// Returns the memory that a run needs. Throws std::bad_alloc.
  Workspace make_workspace() const;

  /// Computes all outputs. With one thread, allocates no memory except the scratch memory of
  /// kernels, which later runs use again. Throws Error when the number, the types or the sizes of
  /// tensors or the workspace do not fit the plan.
  void run(NetworkInputs inputs, NetworkOutputs outputs, Workspace& workspace) const;

  /// Runs the steps `first` to `last` - 1 of plan().steps. Requires last <= plan().steps.size(),
  /// and that the earlier steps have run with this workspace. Throws Error as run() does.
  void run_steps(std::size_t first, std::size_t last, NetworkInputs inputs, NetworkOutputs outputs,
                 Workspace& workspace) const;

  /// Wraps the code that compile() or load_network() made. Requires that `code` is not null.
  explicit CompiledNetwork(std::shared_ptr<const NetworkCode> code) : code_(std::move(code)) {}
  const NetworkCode& code() const { return *code_; }

 private:
  std::shared_ptr<const NetworkCode> code_;
};

/// Assembles the kernels of `plan` for this CPU and packs the weights. Throws Error when the plan
/// is that of a list of layers or has no outputs, with the name of the node when a node cannot be
/// run, when a kernel takes plain weights (Options::weights), and where compile() of a layer does.
CompiledNetwork compile(const NetworkPlan& plan);

/// Writes the network, its schedules, its packed weights and the outputs of one run to the file
/// `path`, which is replaced atomically. Missing folders are created. Throws Error when the network
/// is quantised, has an input or an output of another type than f32, or the file cannot be written.
void save_network(const CompiledNetwork& network, const std::string& path);

/// Returns true when the file at `path` begins as those of save_network() do.
bool is_saved_network(const std::string& path);

/// Returns the network in a file of save_network(), without planning or packing. The graph of the
/// network is the rewritten one, and weights that are packed have no numbers. Runs the network once
/// and compares the outputs with those in the file. Throws Error with the file and the rule when
/// another version saved it, this CPU lacks the instruction set of the kernels, a part is invalid
/// or the outputs differ.
CompiledNetwork load_network(const std::string& path);

/// Holds the comparison of one step, or of one output of a network, with plain loops. A step is
/// compared on the inputs that it had in the network.
struct StepCheck {
  std::string name = {}, kind = {};
  Check check = {};
};

struct NetworkCheck {
  /// Lists the checks of all steps except those in place (NetworkStep::in_place), which have no
  /// work.
  std::vector<StepCheck> steps = {};
  /// Holds the comparisons of the outputs with plain loops over the graph as given, or over the
  /// rewritten graph if it is quantised.
  std::vector<StepCheck> outputs = {};

  bool passed() const;
};

/// Runs the network on random inputs from `seed` and compares every step and the outputs with plain
/// loops. Wrong results do not throw. Throws Error when constants have no numbers, as in loaded
/// networks.
NetworkCheck check_network(const CompiledNetwork& network, std::uint64_t seed = 1);

/// Returns the median time of a run on random inputs, with one run after another. Waits for a quiet
/// machine for at most `budget_seconds`. Throws Error when the budget is not positive and finite,
/// and when it was used up or a stop was requested before the first sample.
Measurement measure(const CompiledNetwork& network, double budget_seconds);

/// Holds the times of a network and of its steps.
struct NetworkTimes {
  Measurement whole = {};
  /// Gives the median time of each step in runs of all steps. Steps in place have 0.
  std::vector<double> step_seconds = {};
};

/// Returns the result of measure(), and the times of all steps from 5 to 1000 further runs, as many
/// as begin within `budget_seconds` more. Throws Error as measure() does.
NetworkTimes measure_steps(const CompiledNetwork& network, double budget_seconds);

}  // namespace tileplan
