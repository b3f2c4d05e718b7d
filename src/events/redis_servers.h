// One connection to a Redis server: questions and answers, with bounds on time and bytes.
#pragma once

#ifdef POSTRIDER_HAS_REDIS
#include <hiredis/hiredis.h>

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "events/address.h"
#include "events/line_source.h"
#include "events/redis_settings.h"
#include "events/stream_socket.h"

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

// --- The servers behind an address of Redis, of which one is asked: one of those that the address names, the master that Sentinels know,
// or the node of a cluster that has the key.

class RedisServers {
 public:
  // Throws InvalidArgument. `patience` is how long a server may take to answer, beyond what it was asked to wait.
  RedisServers(const StreamAddress& address, const RedisSettings& settings, Stops stops,
               std::chrono::milliseconds patience);

  // Asks the server that has the key. Throws NoAnswer if it is to be asked again, FileError for an error that is the
  // user's.
  RedisReply ask(const std::string& key, const std::vector<std::string>& words,
                 std::chrono::milliseconds wait = {});
  // Likewise, but an error is an answer.
  RedisReply ask_for_any(const std::string& key, const std::vector<std::string>& words);

  // After a failure: who is asked next is found out anew.
  void forget();
  // Whether keys live on several servers, as far as is known by now.
  bool is_cluster() const { return is_cluster_; }
  void tell_cluster() { is_cluster_ = true; }

 private:
  struct Redirection {
    std::string node;
    bool is_once = false;  // the key is on its way there
  };

  RedisConnection& connection_to(const std::string& node);
  std::unique_ptr<RedisConnection> connected(const std::string& node, const char* port,
                                             const RedisLogin& login);
  RedisConnection& first_connection();
  void connect_to_any();
  void connect_to_master();
  std::string master_by(const std::string& sentinel);
  std::string node_of(const std::string& key) const;
  std::optional<Redirection> redirection(const std::string& error, const std::string& from) const;
  [[noreturn]] void fail(const std::string& why) const;

  StreamAddress address_;
  RedisSettings settings_;
  Stops stops_;
  std::chrono::milliseconds patience_;
  std::unique_ptr<TlsContext> tls_;
  std::vector<std::string> hosts_;  // of the address, and nodes that were heard of
  std::size_t next_host_ = 0;       // is tried first
  std::string first_;               // is asked for keys of which nothing is known; empty: none yet
  std::map<std::string, std::unique_ptr<RedisConnection>> connections_;  // by the node
  std::map<std::string, std::string> nodes_;                             // by the key
  bool is_cluster_ = false;
};

}  // namespace postrider::cli

#endif
