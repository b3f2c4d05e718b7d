// What the kernels of the hand-written Adam are called with.
#pragma once

#include <cstddef>

namespace postrider::bench {

// Row-major: weights by input, activations by example. Rows are padded to whole vectors. The bias is
// the weight of an input that is one.
struct HandLayer {
  std::size_t inputs, fan_in, units;
  std::size_t columns, stride;  // of the weights
  float slope;                  // 1: the identity
  float *weights, *first_moment, *second_moment;
  const float* x;  // the layer's inputs
  std::size_t x_stride;
  float* out;  // activations: the next layer's inputs
  std::size_t out_stride;
  bool out_has_bias;
  float* back;               // derivative of the loss by the sums, stride: columns
  float* back_across;        // the same, by unit
  float* input_back_across;  // derivative by the inputs, by input
};

struct HandCall {
  const HandLayer* layers;
  std::size_t layer_count;
  std::size_t batch, lanes;  // lanes: the batch padded, the stride of arrays by unit
  const float* targets;
  // Adam's bias corrections at this step.
  float step, root_scale;
};

}  // namespace postrider::bench
