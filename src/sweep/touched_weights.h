// Which weights the stored message of some rows is about. Of the first layer these are the weights of inputs that
// are not zero in all of the rows: nothing is said of the others, and nothing is stored of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace postrider::internal {

// How the numbers of a network, or of a pack of them, lie: first those of the first layer, in `blocks` of `inputs`
// (with the bias) of `width` numbers each, then those of the other layers.
struct MessageShape {
  std::size_t blocks = 0, inputs = 0, width = 0;
  std::size_t others = 0;

  // A layer that is swept across its inputs says something of all of them.
  static MessageShape of_all(std::size_t numbers) { return {0, 0, 0, numbers}; }
  bool can_be_sparse() const { return blocks > 0; }
  std::size_t first_layer() const { return blocks * inputs * width; }
  std::size_t all() const { return first_layer() + others; }
  // How many a message about so many inputs has.
  std::size_t numbers(std::size_t some) const { return blocks * some * width + others; }
};

struct TouchedWeights {
  MessageShape shape;
  bool is_all = true;
  std::span<const std::uint32_t> inputs =
      {};  // of the first layer, ascending, unless all are touched

  static TouchedWeights all(std::size_t numbers) { return {MessageShape::of_all(numbers)}; }
  std::size_t size() const { return is_all ? shape.all() : shape.numbers(inputs.size()); }

  // Calls run(place among all numbers, place in the message, count) for all numbers of the message, in ascending
  // order.
  template <class Run>
  void for_each_run(Run&& run) const {
    if (is_all) return run(std::size_t{0}, std::size_t{0}, shape.all());
    for_each_run_of_inputs(0, inputs.size(), run);
    if (shape.others > 0) run(shape.first_layer(), size() - shape.others, shape.others);
  }
  // The same for the first layer alone, and of its touched inputs those from `begin` to `end`.
  template <class Run>
  void for_each_run_of_inputs(std::size_t begin, std::size_t end, Run&& run) const {
    for (std::size_t block = 0; block < shape.blocks; ++block)
      for (std::size_t k = begin, next = begin; k < end; k = next) {
        while (next < end && inputs[next] - inputs[k] == next - k) ++next;
        run((block * shape.inputs + inputs[k]) * shape.width,
            (block * inputs.size() + k) * shape.width, (next - k) * shape.width);
      }
  }
};

}  // namespace postrider::internal
