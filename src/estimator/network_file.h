// The networks of a model file: their shape in its metadata, their beliefs in its arrays.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "data/safetensors.h"
#include "postrider/network/network.h"

namespace postrider::internal {

class Description;
template <class T>
struct NetworkArrays;

// members.<member>.<name>
std::string member_key(std::size_t member, const char* name);

void describe_network(const network::NetworkOptions& options,
                      std::map<std::string, std::string>& metadata);
network::NetworkOptions read_network_options(const Description& from);
// The file's arrays must have the shape that its description says, before memory is taken for it.
void expect_shapes(const SafetensorsReader& file, const Description& description,
                   std::size_t members, const network::NetworkOptions& options);

// Arrays to be written, and the memory of those that had to be put in order.
class ModelArrays {
 public:
  void add(std::size_t member, const network::Network& network);
  // The values must stay as long as this.
  void add(const std::string& name, const std::vector<double>& values);
  void add(const std::string& name, const std::vector<std::uint32_t>& values);
  const std::vector<TensorView>& tensors() const { return tensors_; }

 private:
  template <class T>
  void add_typed(std::size_t member, const NetworkArrays<T>& arrays);

  std::deque<std::vector<std::byte>> kept_;
  std::vector<TensorView> tensors_;
};

void read_network(SafetensorsReader& file, std::size_t member, network::Network& to);

}  // namespace postrider::internal
