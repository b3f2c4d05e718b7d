// A network on plain arrays whose messages are direct, conditioned or those of expectation
// propagation, and that counts the negative precisions among them.
//
// All three share the paper's schedule: an example's forward messages are formed once on the way up,
// with nothing coming back yet, and its backward messages once on the way down; what a product tells
// an input is formed from the forward message alone. A batch's stored messages are taken out of the
// beliefs before its examples are swept, each against the beliefs as they then stand.
#pragma once

#include <span>
#include <vector>

#include "common/network_task.h"
#include "message/message-inl.h"
#include "projected_product.h"
#include "site_counts.h"

namespace postrider::experiments {
using namespace internal;

enum class Messages { direct, conditioned, projected };

// What is done with a message of negative precision. Where a later integral does not exist because
// of one that was kept, its factor says nothing of this example; a weight's stored message that
// cannot be taken out stays in.
enum class NegativePolicy {
  keep,
  skip,  // nothing is sent: the message is uniform
  clip,  // the precision becomes a small share of the cavity's, and the belief has the projected mean
};

struct SiteOptions {
  Messages messages = Messages::projected;
  NegativePolicy policy = NegativePolicy::keep;
  double damping = 0;     // share of the old message that a batch's new one keeps
  double clipped = 1e-3;  // share of the cavity's precision that a clipped message has
};

class SiteNetwork {
 public:
  // Keeps references to both.
  SiteNetwork(const NetworkTask& task, const Problem& problem, const SiteOptions& options);

  // One epoch. Stops before its end where `at_undefined` is stop and an integral does not exist.
  enum class AtUndefined { go_on, stop };
  SiteCounts sweep(AtUndefined at_undefined = AtUndefined::go_on);
  // After a sweep that stopped: examples of this epoch before the one it stopped in.
  std::size_t examples_swept() const { return swept_; }

  std::span<const HWY_NAMESPACE::Message<double>> beliefs() const { return belief_; }

  // Those of the layer that was swept last.
  const ProductMessages& products() const { return products_; }

 private:
  using Message = HWY_NAMESPACE::Message<double>;
  using Moments = HWY_NAMESPACE::Moments<double>;

  // From inputs to units; the layer's weights begin at `first`.
  struct Layer {
    std::size_t inputs, units, first;
    double slope;  // of the ReLU behind it; 1 for the last: none
    std::vector<Moments> input, sum;
  };

  void take_out(std::vector<Message>& stored, std::vector<Message>& kept);
  void damp(std::vector<Message>& stored, const std::vector<Message>& kept);
  void forward(const Example& example);
  void learn(const Example& example, std::vector<Message>& stored);
  // What the sums say of their terms; the products of one layer that hear something.
  void gather(std::size_t layer, std::span<const Message> back);
  void send_products(std::size_t layer);
  void learn_products(std::size_t layer, std::vector<Message>& stored);
  Message through_relu(std::size_t layer, const Moments& sum, const Message& back);
  Message settle(Edge edge, std::size_t layer, const Moments& cavity, Message site);
  void note(Undefined why);
  bool must_stop() const;

  const NetworkTask& task_;
  const Problem& problem_;
  SiteOptions options_;
  SimdLevel level_;
  std::vector<Layer> layers_;
  std::vector<Message> belief_;
  std::vector<std::vector<Message>> stored_;  // per batch and weight

  // For the example and layer being swept.
  ProductMessages products_;
  std::vector<std::size_t> heard_;  // which product of the layer a row of products_ is
  std::vector<Message> to_input_;

  SiteCounts counts_;
  AtUndefined at_undefined_ = AtUndefined::go_on;
  std::size_t swept_ = 0;
  bool is_undefined_ = false;
};

}  // namespace postrider::experiments
