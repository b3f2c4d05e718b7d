#include "events/redis_servers.h"

#ifdef POSTRIDER_HAS_REDIS
#include <algorithm>
#include <array>
#include <sstream>

#include "postrider/error.h"

namespace postrider::cli {
namespace {

// One answer has no more. A batch of events has thousands of bytes, and a length that a stranger claims may be anything.
constexpr std::size_t kMostAnswerBytes = std::size_t{256} << 20;
constexpr std::chrono::seconds kHandshake{5};

std::string command_of(const std::vector<std::string>& words) {
  std::string out = "*" + std::to_string(words.size()) + "\r\n";
  for (const std::string& word : words)
    out += "$" + std::to_string(word.size()) + "\r\n" + word + "\r\n";
  return out;
}

}  // namespace

std::string redis_text(const redisReply& reply) {
  if (reply.type != REDIS_REPLY_STRING && reply.type != REDIS_REPLY_STATUS &&
      reply.type != REDIS_REPLY_ERROR)
    throw NoAnswer("its answer makes no sense: a text was expected");
  return {reply.str, reply.len};
}

std::size_t redis_size(const redisReply& list) {
  if (list.type == REDIS_REPLY_NIL) return 0;
  if (list.type != REDIS_REPLY_ARRAY)
    throw NoAnswer("its answer makes no sense: a list was expected");
  return list.elements;
}

const redisReply& redis_at(const redisReply& list, std::size_t place) {
  if (place >= redis_size(list) || list.element[place] == nullptr)
    throw NoAnswer("its answer makes no sense: a list is too short");
  return *list.element[place];
}

RedisConnection::RedisConnection(const SocketAddress& address, const Stops& stops,
                                 const TlsContext* tls)
    : socket_(connect_to(address, stops)), reader_(redisReaderCreate()) {
  if (tls != nullptr)
    socket_ = tls->secured(std::move(socket_), address.host,
                           std::chrono::steady_clock::now() + kHandshake);
}

RedisReply RedisConnection::ask(const std::vector<std::string>& words,
                                std::chrono::milliseconds limit) {
  const SocketDeadline until = std::chrono::steady_clock::now() + limit;
  socket_->send(command_of(words), until);
  std::array<char, 1 << 16> piece{};
  for (std::size_t taken = 0;;) {
    void* reply = nullptr;
    if (redisReaderGetReply(reader_.get(), &reply) != REDIS_OK)
      throw NoAnswer(std::string("its answer makes no sense: ") + reader_->errstr);
    if (reply != nullptr) return RedisReply(static_cast<redisReply*>(reply));
    const std::size_t got = socket_->receive(piece, until);
    taken += got;
    if (taken > kMostAnswerBytes) throw NoAnswer("its answer is longer than 256 MB");
    if (redisReaderFeed(reader_.get(), piece.data(), got) != REDIS_OK)
      throw NoAnswer(std::string("its answer makes no sense: ") + reader_->errstr);
  }
}

namespace {

constexpr const char* kServerPort = "6379";
constexpr const char* kSentinelPort = "26379";
constexpr int kMostRedirections = 5;  // of one question: a cluster that is being rearranged settles

// Errors that pass: a server that reads its data, is about to be replaced by another one, or has as many clients as it takes.
bool is_passing(const std::string& error) {
  for (const char* const begin : {"LOADING", "MASTERDOWN", "CLUSTERDOWN", "TRYAGAIN", "BUSY ",
                                  "UNBLOCKED", "ERR max number of clients"})
    if (error.starts_with(begin)) return true;
  return false;
}

// An error that stays is an answer, too.
RedisReply answered(RedisReply reply) {
  if (reply->type == REDIS_REPLY_ERROR && is_passing(redis_text(*reply)))
    throw NoAnswer(redis_text(*reply));
  return reply;
}

SocketAddress socket_address(const std::string& node, const char* default_port) {
  const std::size_t colon = node.rfind(':');
  const bool has_port = colon != std::string::npos && node.find(']', colon) == std::string::npos;
  std::string host = has_port ? node.substr(0, colon) : node;
  // IPv6 addresses have colons of their own, and brackets around them.
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  return {host, has_port ? node.substr(colon + 1) : default_port};
}

}  // namespace

RedisServers::RedisServers(const StreamAddress& address, const RedisSettings& settings, Stops stops,
                           std::chrono::milliseconds patience)
    : address_(address), settings_(settings), stops_(std::move(stops)), patience_(patience) {
  if (address_.is_encrypted) tls_ = std::make_unique<TlsContext>(settings_.tls);
  std::istringstream hosts(address_.host);
  for (std::string host; std::getline(hosts, host, ',');) hosts_.push_back(host);
}

void RedisServers::fail(const std::string& why) const {
  throw FileError(address_.text + ": " + why, address_.text);
}

RedisReply RedisServers::ask_for_any(const std::string& key,
                                     const std::vector<std::string>& words) {
  return answered(connection_to(node_of(key)).ask(words, patience_));
}

RedisReply RedisServers::ask(const std::string& key, const std::vector<std::string>& words,
                             std::chrono::milliseconds wait) {
  std::optional<Redirection> away;
  for (int hop = 0; hop < kMostRedirections; ++hop) {
    const std::string node = away ? away->node : node_of(key);
    RedisConnection& connection = connection_to(node);
    if (away && away->is_once) connection.ask({"ASKING"}, patience_);
    RedisReply reply = connection.ask(words, wait + patience_);
    if (reply->type != REDIS_REPLY_ERROR) return reply;
    const std::string error = redis_text(*reply);
    if (error.starts_with("CROSSSLOT")) is_cluster_ = true;
    if (is_passing(error) || error.starts_with("CROSSSLOT")) throw NoAnswer(error);
    away = redirection(error, node.empty() ? first_ : node);
    if (!away) fail(error);
    is_cluster_ = true;
    if (std::find(hosts_.begin(), hosts_.end(), away->node) == hosts_.end())
      hosts_.push_back(away->node);
    if (!away->is_once) nodes_[key] = away->node;
  }
  throw NoAnswer("its nodes send on to one another");
}

// "MOVED 3999 127.0.0.1:6381", or ASK for the next question alone. Without a host it is that of who answered.
std::optional<RedisServers::Redirection> RedisServers::redirection(const std::string& error,
                                                                   const std::string& from) const {
  std::istringstream words(error);
  std::string kind, slot, node;
  words >> kind >> slot >> node;
  if ((kind != "MOVED" && kind != "ASK") || node.empty()) return {};
  if (node.front() == ':') node = from.substr(0, from.rfind(':')) + node;
  return Redirection{node, kind == "ASK"};
}

void RedisServers::forget() {
  connections_.clear();
  nodes_.clear();
  first_.clear();
}

std::string RedisServers::node_of(const std::string& key) const {
  const auto found = nodes_.find(key);
  return found == nodes_.end() ? "" : found->second;
}

RedisConnection& RedisServers::connection_to(const std::string& node) {
  if (node.empty()) return first_connection();
  std::unique_ptr<RedisConnection>& out = connections_[node];
  if (!out) out = connected(node, kServerPort, settings_.server);
  return *out;
}

RedisConnection& RedisServers::first_connection() {
  if (first_.empty()) {
    if (address_.master.empty())
      connect_to_any();
    else
      connect_to_master();
  }
  return *connections_.at(first_);
}

std::unique_ptr<RedisConnection> RedisServers::connected(const std::string& node, const char* port,
                                                         const RedisLogin& login) {
  const SocketAddress to = socket_address(node, port);
  try {
    auto out = std::make_unique<RedisConnection>(to, stops_, tls_.get());
    if (login.password.empty()) return out;
    const RedisReply reply = login.user.empty()
                                 ? out->ask({"AUTH", login.password}, patience_)
                                 : out->ask({"AUTH", login.user, login.password}, patience_);
    if (reply->type != REDIS_REPLY_ERROR) return out;
    const std::string error = redis_text(*reply);
    if (is_passing(error)) throw NoAnswer(error);
    fail(error);
  } catch (const NotTrusted& trouble) {
    fail(node + ": " + trouble.what());
  }
}

// The one that answered last comes first.
void RedisServers::connect_to_any() {
  for (std::size_t tried = 0;; ++tried) {
    const std::string host = hosts_[next_host_];
    try {
      connections_[host] = connected(host, kServerPort, settings_.server);
      first_ = host;
      return;
    } catch (const NoAnswer&) {
      connections_.erase(host);
      next_host_ = (next_host_ + 1) % hosts_.size();
      if (tried + 1 >= hosts_.size() || (stops_ && stops_())) throw;
    }
  }
}

// Sentinels may not agree yet, and whom they name may not know it yet: a server says itself what it is.
void RedisServers::connect_to_master() {
  for (std::size_t tried = 0;; ++tried) {
    try {
      const std::string node = master_by(hosts_[next_host_]);
      auto master = connected(node, kServerPort, settings_.server);
      const RedisReply role = answered(master->ask({"ROLE"}, patience_));
      // A user may be forbidden to ask.
      if (role->type != REDIS_REPLY_ERROR && redis_text(redis_at(*role, 0)) != "master")
        throw NoAnswer(node + " is not the master yet");
      connections_[node] = std::move(master);
      first_ = node;
      return;
    } catch (const NoAnswer&) {
      next_host_ = (next_host_ + 1) % hosts_.size();
      if (tried + 1 >= hosts_.size() || (stops_ && stops_())) throw;
    }
  }
}

std::string RedisServers::master_by(const std::string& sentinel) {
  const auto connection = connected(sentinel, kSentinelPort, settings_.sentinel);
  const RedisReply reply = answered(
      connection->ask({"SENTINEL", "get-master-addr-by-name", address_.master}, patience_));
  if (reply->type == REDIS_REPLY_ERROR) fail(sentinel + ": " + redis_text(*reply));
  if (redis_size(*reply) == 0)
    fail("the Sentinel " + sentinel + " knows no master " + address_.master);
  const std::string host = redis_text(redis_at(*reply, 0));
  return (host.find(':') == std::string::npos ? host : "[" + host + "]") + ":" +
         redis_text(redis_at(*reply, 1));
}

}  // namespace postrider::cli

#endif
