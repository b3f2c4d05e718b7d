#include "site_network.h"

#include <algorithm>
#include <utility>

#include "factor/leaky_relu-inl.h"
#include "factor/product-inl.h"

namespace postrider::experiments {
using namespace internal;
namespace {

namespace lanes = HWY_NAMESPACE;

}  // namespace

SiteNetwork::SiteNetwork(const NetworkTask& task, const Problem& problem,
                         const SiteOptions& options)
    : task_(task),
      problem_(problem),
      options_(options),
      level_(SimdLevel::best()),
      stored_(task.batches, std::vector<Message>(problem.prior.size(), {0, 0})),
      counts_(task.shape.widths.size() - 1) {
  const NetworkShape& shape = task.shape;
  std::size_t first = 0;
  for (std::size_t l = 1; l < shape.widths.size(); ++l) {
    const std::size_t inputs = shape.widths[l - 1], units = shape.widths[l];
    const double slope = l <= shape.slopes.size() ? shape.slopes[l - 1] : 1;
    layers_.push_back(
        {inputs, units, first, slope, std::vector<Moments>(inputs), std::vector<Moments>(units)});
    first += inputs * units;
  }
  for (const WeightPrior& prior : problem.prior)
    belief_.push_back({prior.mean / prior.variance, 1 / prior.variance});
}

void SiteNetwork::note(Undefined why) {
  ++counts_.undefined[static_cast<std::size_t>(why)];
  is_undefined_ = true;
}

bool SiteNetwork::must_stop() const { return is_undefined_ && at_undefined_ == AtUndefined::stop; }

// `kept` is the old message, as far as it could be taken out; the rest of it stays in `stored`.
void SiteNetwork::take_out(std::vector<Message>& stored, std::vector<Message>& kept) {
  kept.assign(stored.size(), {0, 0});
  for (std::size_t k = 0; k < stored.size(); ++k) {
    const Message cavity = lanes::quotient(belief_[k], stored[k]);
    if (!(cavity.rho > 0)) {
      note(Undefined::weight_cavity);
      continue;
    }
    belief_[k] = cavity;
    std::swap(kept[k], stored[k]);
  }
}

void SiteNetwork::damp(std::vector<Message>& stored, const std::vector<Message>& kept) {
  if (options_.damping == 0) return;
  for (std::size_t k = 0; k < stored.size(); ++k) {
    const Message change{options_.damping * (kept[k].tau - stored[k].tau),
                         options_.damping * (kept[k].rho - stored[k].rho)};
    belief_[k] = lanes::product(belief_[k], change);
    stored[k] = lanes::product(stored[k], change);
  }
}

SiteCounts SiteNetwork::sweep(AtUndefined at_undefined) {
  counts_ = SiteCounts(layers_.size());
  at_undefined_ = at_undefined;
  is_undefined_ = false;
  swept_ = 0;
  std::vector<Message> kept;
  for (std::size_t batch = 0; batch < task_.batches && !must_stop(); ++batch) {
    take_out(stored_[batch], kept);
    const std::size_t size = task_.batch_size();
    for (const Example& example : std::span(problem_.training).subspan(batch * size, size)) {
      if (must_stop()) return counts_;
      learn(example, stored_[batch]);
      if (!must_stop()) ++swept_;
    }
    damp(stored_[batch], kept);
  }
  return counts_;
}

void SiteNetwork::forward(const Example& example) {
  for (std::size_t l = 0; l < layers_.size(); ++l) {
    Layer& layer = layers_[l];
    for (std::size_t j = 0; j < layer.inputs; ++j)
      layer.input[j] =
          l == 0 ? Moments{example.inputs[j], 0}
                 : lanes::LeakyRelu{layers_[l - 1].slope}.forward(layers_[l - 1].sum[j]).y;
    for (std::size_t i = 0; i < layer.units; ++i) {
      layer.sum[i] = {0, 0};
      for (std::size_t j = 0; j < layer.inputs; ++j)
        layer.sum[i] = lanes::Product::add_forward<false>(
            layer.sum[i], lanes::proper_moments(belief_[layer.first + i * layer.inputs + j]),
            lanes::Product::operand(layer.input[j]));
    }
  }
}

// A negative variance that comes back along a sum is added to what the other terms vary by, and stays
// negative: the ReLU's projected marginal is proper, so that it is larger than the whole sum's
// variance. A product with a known input takes that; the integral over two uncertain numbers does
// not exist.
void SiteNetwork::gather(std::size_t l, std::span<const Message> back) {
  const Layer& layer = layers_[l];
  heard_.clear();
  products_.resize(layer.inputs * layer.units);
  for (std::size_t i = 0; i < layer.units; ++i) {
    if (back[i].rho == 0) continue;
    const Moments from = lanes::proper_moments(back[i]);
    for (std::size_t j = 0; j < layer.inputs; ++j) {
      const std::size_t k = i * layer.inputs + j, row = heard_.size();
      const Moments w = lanes::proper_moments(belief_[layer.first + k]), x = layer.input[j];
      const Moments term = lanes::Product::forward(w, x);
      const double others = std::max(layer.sum[i].variance - term.variance, 0.0);
      const Moments z{from.mean - (layer.sum[i].mean - term.mean), from.variance + others};
      if (z.variance < 0 && x.variance > 0) {
        note(Undefined::product);
        continue;
      }
      heard_.push_back(k);
      products_.x.mean[row] = x.mean;
      products_.x.variance[row] = x.variance;
      products_.y.mean[row] = w.mean;
      products_.y.variance[row] = w.variance;
      products_.z.mean[row] = z.mean;
      products_.z.variance[row] = z.variance;
    }
  }
  products_.resize(heard_.size());
}

// y is the weight, x the input.
void SiteNetwork::send_products(std::size_t l) {
  if (options_.messages == Messages::projected && l > 0) {
    project(products_, level_);
    for (const double unresolved : products_.unresolved) counts_.unresolved += unresolved > 0;
    return;
  }
  for (std::size_t row = 0; row < heard_.size(); ++row) {
    const auto at = [row](const MomentArrays& from) {
      return Moments{from.mean[row], from.variance[row]};
    };
    const auto put = [row](const Message& message, SiteArrays& to) {
      to.tau[row] = message.tau;
      to.rho[row] = message.rho;
    };
    const Moments x = at(products_.x), w = at(products_.y), z = at(products_.z);
    put(lanes::message_of(lanes::Product::forward(w, x)), products_.to_z);
    if (options_.messages == Messages::direct) {
      put(lanes::Product::direct(x, z).message, products_.to_y);
      put(lanes::Product::direct(w, z).message, products_.to_x);
    } else if (l > 0) {
      put(lanes::Product::conditioned(w, x, z).message, products_.to_y);
      put(lanes::Product::conditioned(x, w, z).message, products_.to_x);
    } else {  // A known input: exact, also for a negative variance of z.
      put(lanes::linearised_core(x.mean, z.mean, z.variance, x.mean).message(), products_.to_y);
    }
  }
}

SiteNetwork::Message SiteNetwork::settle(Edge edge, std::size_t layer, const Moments& cavity,
                                         Message site) {
  Count& count = counts_.layers[layer][static_cast<std::size_t>(edge)];
  ++count.sent;
  if (!(site.rho < 0)) return site;
  ++count.negative;
  if (site.rho * cavity.variance < -kDeep) ++count.deep;
  if (options_.policy == NegativePolicy::skip) return {0, 0};
  if (options_.policy == NegativePolicy::keep) return site;
  const Message from = lanes::message_of(cavity);
  const Moments projected = lanes::proper_moments(lanes::product(from, site));
  const double rho = options_.clipped * from.rho;
  return {projected.mean * (from.rho + rho) - from.tau, rho};
}

void SiteNetwork::learn_products(std::size_t l, std::vector<Message>& stored) {
  const Layer& layer = layers_[l];
  to_input_.assign(layer.inputs, {0, 0});
  for (std::size_t row = 0; row < heard_.size(); ++row) {
    const auto sent = [row](const SiteArrays& from) {
      return Message{from.tau[row], from.rho[row]};
    };
    const Moments x{products_.x.mean[row], products_.x.variance[row]};
    const Moments w{products_.y.mean[row], products_.y.variance[row]};
    const Moments z{products_.z.mean[row], products_.z.variance[row]};
    const std::size_t k = layer.first + heard_[row], j = heard_[row] % layer.inputs;
    const Message to_weight = settle(Edge::to_weight, l, w, sent(products_.to_y));
    belief_[k] = lanes::product(belief_[k], to_weight);
    stored[k] = lanes::product(stored[k], to_weight);
    if (l == 0) continue;
    to_input_[j] = lanes::product(to_input_[j], settle(Edge::to_input, l, x, sent(products_.to_x)));
    settle(Edge::to_term, l, z, sent(products_.to_z));
  }
}

// `layer` is the one whose sums the ReLU takes.
SiteNetwork::Message SiteNetwork::through_relu(std::size_t layer, const Moments& sum,
                                               const Message& back) {
  if (back.rho == 0) return {0, 0};
  const lanes::LeakyRelu relu{layers_[layer].slope};
  const Message front = lanes::message_of(sum);
  if (options_.messages == Messages::direct)
    return settle(Edge::through_relu, layer, sum, relu.direct(back).message);
  if (options_.messages == Messages::conditioned) {
    const lanes::Sent<double> sent = relu.conditioned(front, back);
    if (sent.event != 0) ++counts_.guarded;
    return settle(Edge::through_relu, layer, sum, sent.message);
  }
  if (!(front.rho + back.rho > 0)) {
    note(Undefined::relu);
    return {0, 0};
  }
  return settle(Edge::through_relu, layer, sum,
                lanes::relu_tilted(relu.slope, front, sum, back).message);
}

void SiteNetwork::learn(const Example& example, std::vector<Message>& stored) {
  forward(example);
  std::vector<Message> back;
  for (const double y : example.targets)
    back.push_back(lanes::message_of(Moments{y, task_.shape.noise_variance}));
  for (std::size_t l = layers_.size(); l-- > 0;) {
    gather(l, back);
    if (must_stop()) return;
    send_products(l);
    learn_products(l, stored);
    if (l == 0) return;
    back.clear();
    for (std::size_t j = 0; j < layers_[l].inputs; ++j)
      back.push_back(through_relu(l - 1, layers_[l - 1].sum[j], to_input_[j]));
    if (must_stop()) return;
  }
}

}  // namespace postrider::experiments
