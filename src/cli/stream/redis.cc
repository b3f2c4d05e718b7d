// Redis Streams: entries of keys, in the order of their ids.
#include "cli/stream/broker_wait.h"
#include "cli/stream/event_source.h"
#include "cli/stream/known_sources.h"
#include "cli/stream/redis_connection.h"
#include "postrider/error.h"

#ifdef POSTRIDER_HAS_REDIS
#include <fmt/format.h>

#include <charconv>
#include <cstdlib>
#include <map>
#include <optional>
#include <thread>
#include <utility>

namespace postrider::cli {
namespace {

using std::chrono::milliseconds;
constexpr double kMostAnswerSeconds = 10;  // beyond what the server was asked to wait
constexpr milliseconds kRetry{200};
constexpr const char* kBeforeAll = "0-0";  // an id before all others
constexpr const char* kDefaultPort = "6379";

// Milliseconds and a number, by which ids are in order.
using EntryId = std::pair<std::uint64_t, std::uint64_t>;

std::optional<EntryId> read_id(const std::string& text) {
  EntryId out;
  const char* const end = text.data() + text.size();
  const auto time = std::from_chars(text.data(), end, out.first);
  if (time.ec != std::errc() || time.ptr == end || *time.ptr != '-') return {};
  const auto number = std::from_chars(time.ptr + 1, end, out.second);
  if (number.ec != std::errc() || number.ptr != end) return {};
  return out;
}

// A server makes ids of its clock, since 2001 such as these: no other server has the same.
bool is_time(const std::string& id) {
  constexpr std::uint64_t kLeast = 1'000'000'000'000;
  const std::optional<EntryId> read = read_id(id);
  return read && read->first >= kLeast;
}

// Errors that pass: a server that reads its data, or is about to be replaced by another one.
bool is_passing(const std::string& error) {
  for (const char* const begin : {"LOADING", "MASTERDOWN", "CLUSTERDOWN", "TRYAGAIN", "BUSY "})
    if (error.starts_with(begin)) return true;
  return false;
}

class RedisStreams : public EventSource {
 public:
  RedisStreams(const StreamAddress& address, KnownSources known, const StreamOpening& how)
      : address_(address), known_(std::move(known)), how_(how), wait_(address, how) {
    for (const std::string& key : address.names) last_[key] = kBeforeAll;
  }

  std::vector<Event> next(std::size_t most, milliseconds wait) override {
    std::vector<Event> out;
    is_at_end_ = false;
    try {
      if (!is_compared_) compare();
      is_compared_ = true;
      const RedisReply reply = ask(xread(most, wait), wait);
      out = events_of(*reply);
      is_at_end_ = out.empty();
      wait_.answers();
    } catch (const NoAnswer& trouble) {
      connection_.reset();
      out.clear();
      if (wait_.stops()) return out;
      wait_.missing(trouble.what());
      std::this_thread::sleep_for(kRetry);
    }
    for (const Event& event : out) last_[event.partition] = event.position;
    return out;
  }

  bool is_at_end() const override { return is_at_end_; }
  void put_position(StreamPosition& to) const override {
    to.source = name_;
    for (const auto& [key, id] : last_)
      if (id != kBeforeAll) to.partitions[key] = id;
  }

  // Ids begin with the milliseconds at which events came.
  std::string lag() const override {
    if (wait_.is_missing()) return "unknown";
    if (is_at_end_) return "none";
    std::uint64_t oldest = UINT64_MAX;
    for (const auto& [key, id] : last_)
      oldest = std::min<std::uint64_t>(oldest, std::strtoull(id.c_str(), nullptr, 10));
    const auto now = std::chrono::duration_cast<milliseconds>(
        std::chrono::system_clock::now().time_since_epoch());
    return fmt::format("{:.1f} s",
                       (static_cast<double>(now.count()) - static_cast<double>(oldest)) / 1e3);
  }

 private:
  std::vector<std::string> xread(std::size_t most, milliseconds wait) const {
    std::vector<std::string> out{
        "XREAD", "COUNT", std::to_string(most), "BLOCK", std::to_string(wait.count()), "STREAMS"};
    for (const auto& [key, id] : last_) out.push_back(key);
    for (const auto& [key, id] : last_) out.push_back(id);
    return out;
  }

  // A list of keys, each with its entries; an entry is its id and its fields. An id that was handed out already would
  // be learned twice: no server sends it.
  std::vector<Event> events_of(const redisReply& reply) const {
    std::vector<Event> out;
    for (std::size_t k = 0; k < redis_size(reply); ++k) {
      const redisReply& stream = redis_at(reply, k);
      const std::string key = redis_text(redis_at(stream, 0));
      const auto known = last_.find(key);
      if (known == last_.end()) throw NoAnswer("its answer has the key " + key + ", not asked for");
      std::optional<EntryId> before = read_id(known->second);
      const redisReply& entries = redis_at(stream, 1);
      for (std::size_t e = 0; e < redis_size(entries); ++e) {
        Event event = event_of(key, redis_at(entries, e));
        const std::optional<EntryId> id = read_id(event.position);
        if (!id || (before && *id <= *before))
          throw NoAnswer("its answer has an entry that is not the next one: " + event.position);
        before = id;
        out.push_back(std::move(event));
      }
    }
    return out;
  }

  static Event event_of(const std::string& key, const redisReply& entry) {
    Event out{key, redis_text(redis_at(entry, 0))};
    const redisReply& fields = redis_at(entry, 1);
    const std::size_t count = redis_size(fields);
    if (count % 2 != 0) throw NoAnswer("its answer has a field without a value");
    for (std::size_t f = 0; f < count; f += 2)
      out.cells.emplace_back(redis_text(redis_at(fields, f)), redis_text(redis_at(fields, f + 1)));
    if (out.cells.size() == 1 && out.cells[0].first == "json") {
      out.json = std::move(out.cells[0].second);
      out.cells.clear();
    }
    return out;
  }

  // Throws NoAnswer if the server is to be asked again, FileError for an error that is the user's.
  RedisReply ask(const std::vector<std::string>& words, milliseconds wait = {}) {
    RedisReply reply = connection().ask(words, wait + answer_patience());
    if (reply->type != REDIS_REPLY_ERROR) return reply;
    const std::string error = redis_text(*reply);
    if (is_passing(error)) throw NoAnswer(error);
    throw FileError(address_.text + ": " + error, address_.text);
  }

  RedisConnection& connection() {
    if (connection_) return *connection_;
    const std::size_t colon = address_.host.rfind(':');
    const SocketAddress to{address_.host.substr(0, colon), colon == std::string::npos
                                                               ? kDefaultPort
                                                               : address_.host.substr(colon + 1)};
    auto out = std::make_unique<RedisConnection>(to, how_.stops);
    if (const char* const password = std::getenv("REDISCLI_AUTH"); password != nullptr) {
      const RedisReply reply = out->ask({"AUTH", password}, answer_patience());
      if (reply->type == REDIS_REPLY_ERROR)
        throw FileError(address_.text + ": " + redis_text(*reply), address_.text);
    }
    connection_ = std::move(out);
    return *connection_;
  }

  milliseconds answer_patience() const {
    return milliseconds(
        static_cast<std::int64_t>(1000 * std::min(kMostAnswerSeconds, how_.patience / 3)));
  }

  // The id of a key's first entry from this one on; empty if there is none.
  std::string first_entry(const std::string& key, const std::string& from, const std::string& to) {
    const RedisReply reply = ask({"XRANGE", key, from, to, "COUNT", "1"});
    return redis_size(*reply) == 0 ? "" : redis_text(redis_at(redis_at(*reply, 0), 0));
  }

  // What all servers of a replicated set have in common until one of them begins anew; empty if the user may not ask.
  std::string replication_id() {
    const RedisReply reply = connection().ask({"INFO", "replication"}, answer_patience());
    if (reply->type != REDIS_REPLY_STRING) return {};
    const std::string text = redis_text(*reply);
    constexpr std::string_view kName = "master_replid:";
    const std::size_t at = text.find(kName);
    if (at == std::string::npos) return {};
    const std::size_t begin = at + kName.size();
    return text.substr(begin, text.find_first_of("\r\n", begin) - begin);
  }

  // A server that was started again has another id, but the entries are there.
  const StreamPosition* source_with_entries() {
    for (const StreamPosition& each : known_)
      for (const auto& [key, id] : each.partitions)
        if (each.source.starts_with("redis") && last_.contains(key) && is_time(id) &&
            first_entry(key, id, id) == id)
          return &each;
    return nullptr;
  }

  // Which of the sources that the model knows this is; and what the user should know of it.
  void compare() {
    const std::string id = replication_id();
    const StreamPosition* found = find_source(known_, address_.text, id);
    if (found == nullptr) found = source_with_entries();
    if (found == nullptr) found = source_of_address();
    name_ = found != nullptr ? found->source : source_name(address_.text, id);
    if (found == nullptr) {
      if (const std::string notice = other_source(known_, address_); !notice.empty())
        how_.tell(notice);
    } else {
      for (auto& [key, last] : last_)
        if (const auto known = found->partitions.find(key); known != found->partitions.end())
          last = known->second;
    }
    tell_gaps();
  }

  const StreamPosition* source_of_address() const {
    for (const StreamPosition& each : known_)
      if (address_of_source(each.source) == address_.text) return &each;
    return nullptr;
  }

  // Events behind the position may be gone if the one that was learned last is, and a key may be misspelt.
  void tell_gaps() {
    for (const auto& [key, id] : last_) {
      const std::string first = first_entry(key, "-", "+");
      if (first.empty())
        wait_.tell(fmt::format("there is nothing in {} yet; waiting for its events", key));
      else if (id != kBeforeAll && first_entry(key, id, id).empty())
        wait_.tell(
            fmt::format("the event that was learned last, {} {}, is no longer there; events "
                        "between it and {} may be lost",
                        key, id, first_entry(key, id, "+")));
    }
  }

  StreamAddress address_;
  KnownSources known_;
  StreamOpening how_;
  BrokerWait wait_;
  std::string name_;                         // by which the model keeps it
  std::map<std::string, std::string> last_;  // of each key, the id that was handed out last
  std::unique_ptr<RedisConnection> connection_;
  bool is_compared_ = false;  // what the broker has, with the position
  bool is_at_end_ = false;
};

}  // namespace

std::unique_ptr<EventSource> open_redis(const StreamAddress& address, const KnownSources& known,
                                        const StreamOpening& how) {
  return std::make_unique<RedisStreams>(address, known, how);
}

}  // namespace postrider::cli

#else

namespace postrider::cli {

std::unique_ptr<EventSource> open_redis(const StreamAddress& address, const KnownSources&,
                                        const StreamOpening&) {
  reject("--from", address.text,
         "needs a program that was built with hiredis (Debian: libhiredis-dev)");
}

}  // namespace postrider::cli

#endif
