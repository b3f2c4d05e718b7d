// A connection over TCP that ends no later than it is told and hears when the program shall end.
#pragma once

#include <chrono>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>

#include "events/line_source.h"

namespace postrider::cli {

using SocketDeadline = std::chrono::steady_clock::time_point;

struct SocketAddress {
  std::string host;
  std::string port;
};

// The other side is not there, or does not do what it should.
class NoAnswer : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The other side is there, and is not whom it should be: to wait does not help.
class NotTrusted : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// All throw NoAnswer: nobody is there, time is over, or the program shall end.
class StreamSocket {
 public:
  virtual ~StreamSocket() = default;
  virtual void send(const std::string& bytes, SocketDeadline until) = 0;
  // At least one byte.
  virtual std::size_t receive(std::span<char> to, SocketDeadline until) = 0;
};
std::unique_ptr<StreamSocket> connect_to(const SocketAddress& address, const Stops& stops);

}  // namespace postrider::cli
