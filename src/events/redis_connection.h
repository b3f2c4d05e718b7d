// One connection to a Redis server: questions and answers, with bounds on time and bytes.
#pragma once

#ifdef POSTRIDER_HAS_REDIS
#include <hiredis/hiredis.h>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "events/line_source.h"
#include "events/stream_socket.h"
#include "events/tls_socket.h"

namespace postrider::cli {

struct FreeReply {
  void operator()(redisReply* reply) const { freeReplyObject(reply); }
  void operator()(redisReader* reader) const { redisReaderFree(reader); }
};
using RedisReply = std::unique_ptr<redisReply, FreeReply>;
using RedisReader = std::unique_ptr<redisReader, FreeReply>;

// Parts of an answer. Throw NoAnswer if it is of another form: what a stranger sends is looked at before it is used.
std::string redis_text(const redisReply& reply);
std::size_t redis_size(const redisReply& list);
const redisReply& redis_at(const redisReply& list, std::size_t place);

class RedisConnection {
 public:
  // By TLS if it is not null. Throws NoAnswer if the server cannot be reached, NotTrusted if it is not the one.
  RedisConnection(const SocketAddress& address, const Stops& stops, const TlsContext* tls);

  // Throws NoAnswer, also if somebody wants the program to end.
  RedisReply ask(const std::vector<std::string>& words, std::chrono::milliseconds limit);

 private:
  std::unique_ptr<StreamSocket> socket_;
  RedisReader reader_;
};

}  // namespace postrider::cli
#endif
