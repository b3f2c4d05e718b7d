// Streams of rows in the order of time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace postrider::experiments {

struct Stream {
  std::vector<double> inputs, targets;
  std::vector<std::size_t> ends;  // rows are told in blocks, such as days; the end of each

  std::size_t size() const { return targets.size(); }
  std::size_t columns() const { return inputs.size() / targets.size(); }
  std::span<const double> inputs_of(std::size_t first, std::size_t end) const {
    return std::span(inputs).subspan(first * columns(), (end - first) * columns());
  }
  std::span<const double> targets_of(std::size_t first, std::size_t end) const {
    return std::span(targets).subspan(first, end - first);
  }
  // The first blocks, of at least so many rows together.
  Stream beginning(std::size_t rows) const;
};

// Rides by hour, a block for each day. Hours, weekdays, months, seasons and the kind of weather are levels.
Stream read_bike(const std::string& data);
// Half-hours of prices and demand, or days of weather; the target is a class, 0 or 1, and each row is a block.
Stream read_classes(const std::string& data, const std::string& name);

// A bent function of eight inputs whose weights are drawn anew after every `stretch` rows, with noise; blocks
// of `block` rows.
Stream changing_stream(std::size_t rows, std::size_t stretch, std::size_t block,
                       std::uint64_t seed);

}  // namespace postrider::experiments
