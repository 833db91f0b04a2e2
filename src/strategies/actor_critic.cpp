// SPDX-License-Identifier: Apache-2.0
// All weights are one vector, so that Adam treats them alike. Layers are views of parts of this
// vector.
#include "actor_critic.h"

#include <cmath>

namespace tileplan {
namespace {

constexpr Eigen::Index kHidden = 128;
constexpr double kRate = 0.001, kMeanDecay = 0.9, kSquareDecay = 0.999, kSmall = 1e-8;

/// Views the vector of all weights as the matrices of both layers. The last row of `out` computes
/// the value.
template <class Vector, class Matrix>
struct Layers {
  Eigen::Map<Matrix> hidden, hidden_bias, out, out_bias;

  Layers(Vector& weights, Eigen::Index inputs, Eigen::Index outputs)
      : hidden(weights.data(), kHidden, inputs),
        hidden_bias(hidden.data() + hidden.size(), kHidden, 1),
        out(hidden_bias.data() + kHidden, outputs, kHidden),
        out_bias(out.data() + out.size(), outputs, 1) {}
};
using ConstLayers = Layers<const Eigen::VectorXd, const Eigen::MatrixXd>;
using MutableLayers = Layers<Eigen::VectorXd, Eigen::MatrixXd>;

Eigen::Index weight_count(Eigen::Index inputs, Eigen::Index outputs) {
  return kHidden * (inputs + 1) + outputs * (kHidden + 1);
}

template <class Matrix>
void draw_uniformly(Matrix& weights, std::mt19937_64& random) {
  const double limit = 1 / std::sqrt(static_cast<double>(weights.cols()));
  std::uniform_real_distribution<double> draw(-limit, limit);
  for (Eigen::Index i = 0; i < weights.size(); ++i) weights.data()[i] = draw(random);
}

}  // namespace

ActorCritic::ActorCritic(Eigen::Index inputs, Eigen::Index actions, std::mt19937_64& random)
    : inputs_(inputs),
      actions_(actions),
      weights_(Eigen::VectorXd::Zero(weight_count(inputs, actions + 1))),
      mean_(Eigen::VectorXd::Zero(weights_.size())),
      square_(mean_) {
  MutableLayers layers(weights_, inputs, actions + 1);
  draw_uniformly(layers.hidden, random);
  draw_uniformly(layers.out, random);
}

ActorCritic::Pass ActorCritic::evaluate(const Eigen::VectorXd& state) const {
  const ConstLayers layers(weights_, inputs_, actions_ + 1);
  Pass pass{.hidden = (layers.hidden * state + layers.hidden_bias).cwiseMax(0), .policy = {}};
  const Eigen::VectorXd out = layers.out * pass.hidden + layers.out_bias;
  const Eigen::VectorXd scores = out.head(actions_);
  pass.policy = (scores.array() - scores.maxCoeff()).exp();
  pass.policy /= pass.policy.sum();
  pass.value = out(actions_);
  return pass;
}

Eigen::VectorXd ActorCritic::policy(const Eigen::VectorXd& state) const {
  return evaluate(state).policy;
}

double ActorCritic::value(const Eigen::VectorXd& state) const { return evaluate(state).value; }

Eigen::VectorXd ActorCritic::gradient(const std::vector<Experience>& experiences) const {
  const ConstLayers layers(weights_, inputs_, actions_ + 1);
  Eigen::VectorXd sum = Eigen::VectorXd::Zero(weights_.size());
  MutableLayers slopes(sum, inputs_, actions_ + 1);
  for (const Experience& each : experiences) {
    const Pass pass = evaluate(each.state);
    const double advantage = each.reward - pass.value;
    Eigen::VectorXd out(actions_ + 1);
    out << advantage * pass.policy, -2 * advantage;
    out(each.action) -= advantage;
    const Eigen::VectorXd back = layers.out.transpose() * out;
    const Eigen::VectorXd hidden = (pass.hidden.array() > 0).select(back, 0);
    slopes.out += out * pass.hidden.transpose();
    slopes.out_bias += out;
    slopes.hidden += hidden * each.state.transpose();
    slopes.hidden_bias += hidden;
  }
  return sum;
}

void ActorCritic::learn(const std::vector<Experience>& experiences) {
  const Eigen::VectorXd slope = gradient(experiences);
  ++steps_;
  mean_ = kMeanDecay * mean_ + (1 - kMeanDecay) * slope;
  square_ = kSquareDecay * square_ + (1 - kSquareDecay) * slope.cwiseAbs2();
  const double mean_share = 1 - std::pow(kMeanDecay, steps_),
               square_share = 1 - std::pow(kSquareDecay, steps_);
  weights_.array() -=
      kRate * (mean_ / mean_share).array() / ((square_ / square_share).array().sqrt() + kSmall);
}

}  // namespace tileplan
