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

// --- TLS around a connection: nobody on the way reads or changes what goes over it.

// Paths are empty if the user gave none.
struct TlsSettings {
  std::string authorities;       // certificates that are trusted; those of the system if empty
  std::string certificate, key;  // of this client, if the server wants to know who it is
  std::string key_password;
  bool is_verified = true;       // whether the server must have a certificate that is trusted
  bool is_name_verified = true;  // and which names the host that was asked for
};

// Settings that were read and understood, for any number of connections.
class TlsContext {
 public:
  // Throws InvalidArgument if the program was built without OpenSSL, or if a file of the settings does not hold what it should.
  explicit TlsContext(const TlsSettings& settings);
  ~TlsContext();

  // Throws NoAnswer, and NotTrusted if the other side is not whom it should be.
  std::unique_ptr<StreamSocket> secured(std::unique_ptr<StreamSocket> plain,
                                        const std::string& host, SocketDeadline until) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace postrider::cli
