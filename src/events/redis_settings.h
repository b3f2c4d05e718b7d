// How the program presents itself to servers of Redis, and whom it trusts.
#pragma once

#include <string>

#include "events/address.h"
#include "events/broker_settings.h"
#include "events/stream_socket.h"

namespace postrider::cli {

struct RedisLogin {
  std::string user, password;  // empty: none
};

struct RedisSettings {
  RedisLogin server, sentinel;
  TlsSettings tls;
};

// From the address, the file of settings and REDISCLI_AUTH. Throws InvalidArgument.
RedisSettings redis_settings(const StreamAddress& address, const BrokerSettings& file);

}  // namespace postrider::cli
