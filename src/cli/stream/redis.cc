// Redis Streams, by hiredis.
#include "cli/stream/event_source.h"
#include "postrider/error.h"

#ifdef POSTRIDER_HAS_REDIS
#include <fmt/format.h>
#include <hiredis/hiredis.h>

#include <cstdlib>
#include <thread>
#include <utility>

namespace postrider::cli {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::seconds kPatience{30};  // with a broker that does not answer
constexpr const char* kBeginning = "0-0";      // an id before all others
constexpr int kDefaultPort = 6379;

struct Close {
  void operator()(redisContext* context) const { redisFree(context); }
  void operator()(redisReply* reply) const { freeReplyObject(reply); }
};
using Connection = std::unique_ptr<redisContext, Close>;
using Reply = std::unique_ptr<redisReply, Close>;

timeval time_of(std::chrono::milliseconds duration) {
  return {duration.count() / 1000, 1000 * (duration.count() % 1000)};
}

std::string text_of(const redisReply& reply) { return {reply.str, reply.len}; }

class RedisStreams : public EventSource {
 public:
  RedisStreams(const StreamAddress& address, const StreamPosition& from, const Tell& tell)
      : address_(address), tell_(tell) {
    for (const std::string& key : address.names) {
      const auto known = from.partitions.find(key);
      last_[key] = known == from.partitions.end() ? kBeginning : known->second;
    }
  }

  std::vector<Event> next(std::size_t most, std::chrono::milliseconds wait) override {
    if (!std::exchange(is_compared_, true)) tell_gaps();
    const Reply reply = read(most, wait);
    std::vector<Event> out;
    is_at_end_ = reply->type == REDIS_REPLY_NIL || reply->elements == 0;
    if (is_at_end_) return out;
    // A list of keys, each with its entries; an entry is its id and its fields.
    for (std::size_t k = 0; k < reply->elements; ++k) {
      const redisReply& stream = *reply->element[k];
      const std::string key = text_of(*stream.element[0]);
      const redisReply& entries = *stream.element[1];
      for (std::size_t e = 0; e < entries.elements; ++e)
        out.push_back(event_of(key, *entries.element[e]));
    }
    for (const Event& event : out) last_[event.partition] = event.position;
    return out;
  }

  bool is_at_end() const override { return is_at_end_; }

  // Ids begin with the milliseconds at which events came.
  std::string lag() const override {
    if (is_at_end_) return "none";
    std::uint64_t oldest = UINT64_MAX;
    for (const auto& [key, id] : last_)
      oldest = std::min<std::uint64_t>(oldest, std::strtoull(id.c_str(), nullptr, 10));
    const auto now = std::chrono::duration_cast<std::chrono::milliseconds>(
        std::chrono::system_clock::now().time_since_epoch());
    return fmt::format("{:.1f} s",
                       (static_cast<double>(now.count()) - static_cast<double>(oldest)) / 1e3);
  }

 private:
  static Event event_of(const std::string& key, const redisReply& entry) {
    Event out{key, text_of(*entry.element[0])};
    const redisReply& fields = *entry.element[1];
    for (std::size_t f = 0; f + 1 < fields.elements; f += 2)
      out.cells.emplace_back(text_of(*fields.element[f]), text_of(*fields.element[f + 1]));
    if (out.cells.size() == 1 && out.cells[0].first == "json") {
      out.json = std::move(out.cells[0].second);
      out.cells.clear();
    }
    return out;
  }

  // A broker that restarts is waited for.
  Reply read(std::size_t most, std::chrono::milliseconds wait) {
    std::vector<std::string> words{
        "XREAD", "COUNT", std::to_string(most), "BLOCK", std::to_string(wait.count()), "STREAMS"};
    for (const auto& [key, id] : last_) words.push_back(key);
    for (const auto& [key, id] : last_) words.push_back(id);
    return patiently(words, wait + kPatience);
  }

  Reply patiently(const std::vector<std::string>& words, std::chrono::milliseconds limit) {
    const Clock::time_point until = Clock::now() + kPatience;
    bool is_waiting = false;
    for (std::string why;; std::this_thread::sleep_for(std::chrono::milliseconds(200))) {
      if (Reply reply = sent(words, limit, why)) return reply;
      connection_.reset();
      if (Clock::now() > until) throw FileError(address_.text + ": " + why, address_.text);
      if (!std::exchange(is_waiting, true))
        tell_(fmt::format("{}: {}; waiting for it, {} s at most", address_.text, why,
                          kPatience.count()));
    }
  }

  // The id of a key's first entry from this one on; empty if there is none.
  std::string first_entry(const std::string& key, const std::string& from, const std::string& to) {
    const Reply reply = patiently({"XRANGE", key, from, to, "COUNT", "1"}, kPatience);
    if (reply->type != REDIS_REPLY_ARRAY || reply->elements == 0) return {};
    return text_of(*reply->element[0]->element[0]);
  }

  // Events behind the position may be gone if the one that was learned last is, and a key may be misspelt.
  void tell_gaps() {
    for (const auto& [key, id] : last_) {
      const std::string first = first_entry(key, "-", "+");
      if (first.empty()) {
        tell_(fmt::format("{}: there is nothing in {} yet; waiting for its events", address_.text,
                          key));
      } else if (id != kBeginning && first_entry(key, id, id).empty()) {
        tell_(
            fmt::format("{}: the event that was learned last, {} {}, is no longer there; events "
                        "between it and {} may be lost",
                        address_.text, key, id, first_entry(key, id, "+")));
      }
    }
  }

  // Null if there was no answer. An answer that is an error is one of the user's.
  Reply sent(const std::vector<std::string>& words, std::chrono::milliseconds limit,
             std::string& why) {
    if (!is_connected(why)) return nullptr;
    redisSetTimeout(connection_.get(), time_of(limit));
    std::vector<const char*> texts;
    std::vector<std::size_t> sizes;
    for (const std::string& word : words) {
      texts.push_back(word.data());
      sizes.push_back(word.size());
    }
    Reply reply(static_cast<redisReply*>(redisCommandArgv(
        connection_.get(), static_cast<int>(words.size()), texts.data(), sizes.data())));
    if (!reply) {
      why = connection_->errstr;
      return nullptr;
    }
    // A server that is still reading its data says so.
    if (reply->type == REDIS_REPLY_ERROR && text_of(*reply).starts_with("LOADING")) {
      why = text_of(*reply);
      return nullptr;
    }
    if (reply->type == REDIS_REPLY_ERROR)
      throw FileError(address_.text + ": " + text_of(*reply), address_.text);
    return reply;
  }

  bool is_connected(std::string& why) {
    if (connection_) return true;
    const std::size_t colon = address_.host.rfind(':');
    const int port =
        colon == std::string::npos ? kDefaultPort : std::atoi(address_.host.c_str() + colon + 1);
    const std::string host = address_.host.substr(0, colon);
    connection_.reset(
        redisConnectWithTimeout(host.c_str(), port, time_of(std::chrono::seconds(5))));
    if (!connection_ || connection_->err != 0) {
      why = connection_ ? connection_->errstr : "no memory";
      connection_.reset();
      return false;
    }
    const char* const password = std::getenv("REDISCLI_AUTH");
    if (password == nullptr) return true;
    const Reply reply(
        static_cast<redisReply*>(redisCommand(connection_.get(), "AUTH %s", password)));
    if (reply && reply->type == REDIS_REPLY_ERROR)
      throw FileError(address_.text + ": " + text_of(*reply), address_.text);
    return reply != nullptr;
  }

  StreamAddress address_;
  std::map<std::string, std::string> last_;  // of each key, the id that was handed out last
  Connection connection_;
  Tell tell_;
  bool is_compared_ = false;  // what the broker has, with the position
  bool is_at_end_ = false;
};

}  // namespace

std::unique_ptr<EventSource> open_redis(const StreamAddress& address, const StreamPosition& from,
                                        const Tell& tell) {
  return std::make_unique<RedisStreams>(address, from, tell);
}

}  // namespace postrider::cli

#else

namespace postrider::cli {

std::unique_ptr<EventSource> open_redis(const StreamAddress& address, const StreamPosition&,
                                        const Tell&) {
  reject("--from", address.text,
         "needs a program that was built with hiredis (Debian: libhiredis-dev)");
}

}  // namespace postrider::cli

#endif
