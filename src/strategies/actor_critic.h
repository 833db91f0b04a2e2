// SPDX-License-Identifier: Apache-2.0
// This file defines a small neural network that proposes actions and estimates rewards.
#pragma once

#include <Eigen/Dense>
#include <random>
#include <vector>

namespace tileplan {

/// Holds one action that was taken in `state`, and the reward of the state that followed.
struct Experience {
  Eigen::VectorXd state = {};
  Eigen::Index action = 0;
  double reward = 0;
};

/// Learns a policy (probabilities of actions) and a value (estimated reward). Both share one hidden
/// layer of rectified linear units.
class ActorCritic {
 public:
  /// Draws the weights of a layer with n inputs uniformly from -1 / sqrt(n) to 1 / sqrt(n), and
  /// sets biases to 0.
  ActorCritic(Eigen::Index inputs, Eigen::Index actions, std::mt19937_64& random);

  /// Returns the probability of each action in `state`.
  Eigen::VectorXd policy(const Eigen::VectorXd& state) const;
  /// Returns the estimate of the reward of an action in `state`.
  double value(const Eigen::VectorXd& state) const;

  /// Returns the derivatives of the loss with respect to all weights. The loss is the sum over
  /// `experiences` of -log(probability) * advantage + advantage^2. The advantage is reward - value,
  /// and the advantage in the first term counts as a constant.
  Eigen::VectorXd gradient(const std::vector<Experience>& experiences) const;
  /// Takes one step of the optimiser Adam to lower the loss of `experiences`.
  void learn(const std::vector<Experience>& experiences);

  const Eigen::VectorXd& weights() const { return weights_; }
  void set_weights(const Eigen::VectorXd& weights) { weights_ = weights; }

 private:
  struct Pass {
    Eigen::VectorXd hidden, policy;
    double value = 0;
  };
  Pass evaluate(const Eigen::VectorXd& state) const;

  Eigen::Index inputs_, actions_;
  /// The weights and biases of the hidden layer come first, then those of the outputs.
  Eigen::VectorXd weights_;
  /// Adam keeps running averages of gradients and of their squares.
  Eigen::VectorXd mean_, square_;
  int steps_ = 0;
};

}  // namespace tileplan
