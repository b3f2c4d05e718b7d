#include "events/redis_connection.h"

#ifdef POSTRIDER_HAS_REDIS
#include <array>

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

}  // namespace postrider::cli
#endif
