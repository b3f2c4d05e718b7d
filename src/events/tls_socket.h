// TLS around a connection: nobody on the way reads or changes what goes over it.
#pragma once

#include <memory>
#include <string>

#include "events/stream_socket.h"

namespace postrider::cli {

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
