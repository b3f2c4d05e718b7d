// Redis Streams: entries of keys, in the order of their ids.
#include "events/address.h"
#include "events/event_source.h"
#include "events/redis_servers.h"
#include "postrider/error.h"
#include "text/text_table.h"

#ifdef POSTRIDER_HAS_REDIS
#include <fmt/format.h>

#include <charconv>
#include <cstdlib>
#include <deque>
#include <iterator>
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
// Ids of a key that are remembered, those that were handed out last, by which the place is found again on a server that lacks some of them.
constexpr std::size_t kRemembered = 10'000;

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

class RedisStreams : public EventSource {
 public:
  RedisStreams(const StreamAddress& address, KnownSources known, const StreamOpening& how)
      : address_(address),
        known_(std::move(known)),
        how_(how),
        wait_(address, how),
        servers_(address, redis_settings(address, how.broker), how.stops, answer_patience(how)) {
    for (const std::string& key : address.names) last_[key] = kBeforeAll;
  }

  std::vector<Event> next(std::size_t most, milliseconds wait) override {
    std::vector<Event> out;
    is_at_end_ = false;
    try {
      if (!is_compared_) compare();
      is_compared_ = true;
      find_place_again();
      out = servers_.is_cluster() && last_.size() > 1 ? read_by_turns(most, wait)
                                                      : read(last_, most, wait);
      is_at_end_ = out.empty();
      wait_.answers();
    } catch (const NoAnswer& trouble) {
      servers_.forget();
      may_have_other_server_ = true;
      out.clear();
      if (wait_.stops()) return out;
      wait_.missing(trouble.what());
      std::this_thread::sleep_for(kRetry);
    }
    for (const Event& event : out) hand_out(event);
    return out;
  }

  bool is_at_end() const override { return is_at_end_; }
  void put_position(TableModel::StreamPosition& to) const override {
    to.source = name_;
    for (const auto& [key, id] : last_)
      if (id != kBeforeAll) to.partitions[key] = id;
  }

  // Ids begin with the milliseconds at which events came.
  StreamLag lag() const override {
    StreamLag out{StreamLag::Unit::seconds};
    if (wait_.is_missing() || !wait_.has_answered()) return out;
    out.value = 0;
    if (is_at_end_) return out;
    std::uint64_t oldest = UINT64_MAX;
    for (const auto& [key, id] : last_)
      oldest = std::min<std::uint64_t>(oldest, std::strtoull(id.c_str(), nullptr, 10));
    const auto now = std::chrono::duration_cast<milliseconds>(
        std::chrono::system_clock::now().time_since_epoch());
    out.value = (static_cast<double>(now.count()) - static_cast<double>(oldest)) / 1e3;
    return out;
  }
  std::string outage() const override { return wait_.outage(); }

 private:
  using Ids = std::map<std::string, std::string>;  // by the key

  static milliseconds answer_patience(const StreamOpening& how) {
    return milliseconds(
        static_cast<std::int64_t>(1000 * std::min(kMostAnswerSeconds, how.patience / 3)));
  }

  void hand_out(const Event& event) {
    last_[event.partition] = event.position;
    std::deque<std::string>& recent = recent_[event.partition];
    recent.push_back(event.position);
    if (recent.size() > kRemembered) recent.pop_front();
  }

  // Those behind these ids, of keys that one server has.
  std::vector<Event> read(const Ids& after, std::size_t most, milliseconds wait) {
    std::vector<std::string> words{
        "XREAD", "COUNT", std::to_string(most), "BLOCK", std::to_string(wait.count()), "STREAMS"};
    for (const auto& [key, id] : after) words.push_back(key);
    for (const auto& [key, id] : after) words.push_back(id);
    return events_of(*servers_.ask(after.begin()->first, words, wait));
  }

  // No server of a cluster answers for keys of several. Whose turn was first is last the next time.
  std::vector<Event> read_by_turns(std::size_t most, milliseconds wait) {
    std::vector<Event> out;
    const milliseconds share(
        std::max<std::int64_t>(1, wait.count() / static_cast<std::int64_t>(address_.names.size())));
    for (std::size_t turn = 0; turn < address_.names.size() && out.size() < most; ++turn) {
      const std::string& key = address_.names[(first_turn_ + turn) % address_.names.size()];
      std::vector<Event> more =
          read({{key, last_[key]}}, most - out.size(), out.empty() ? share : milliseconds(1));
      std::move(more.begin(), more.end(), std::back_inserter(out));
    }
    ++first_turn_;
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

  // The id of a key's first entry from this one on; empty if there is none.
  std::string first_entry(const std::string& key, const std::string& from, const std::string& to) {
    const RedisReply reply = servers_.ask(key, {"XRANGE", key, from, to, "COUNT", "1"});
    return redis_size(*reply) == 0 ? "" : redis_text(redis_at(redis_at(*reply, 0), 0));
  }

  // What all servers of a replicated set have in common until one of them begins anew, and the one before it, which a replica
  // that became the master keeps; none if the user may not ask.
  std::vector<std::string> replication_ids() {
    std::vector<std::string> out;
    const RedisReply reply = servers_.ask_for_any(last_.begin()->first, {"INFO", "replication"});
    if (reply->type != REDIS_REPLY_STRING) return out;
    const std::string text = redis_text(*reply);
    for (const std::string_view name : {"master_replid:", "master_replid2:"}) {
      const std::size_t at = text.find(name);
      if (at == std::string::npos) continue;
      const std::size_t begin = at + name.size();
      const std::string id = text.substr(begin, text.find_first_of("\r\n", begin) - begin);
      if (id.find_first_not_of('0') != std::string::npos) out.push_back(id);
    }
    return out;
  }

  // Keys of a cluster are on several servers, even where all are on this one for now.
  void look_for_cluster() {
    if (last_.size() < 2) return;
    const RedisReply reply = servers_.ask_for_any(last_.begin()->first, {"INFO", "cluster"});
    if (reply->type == REDIS_REPLY_STRING &&
        redis_text(*reply).find("cluster_enabled:1") != std::string::npos)
      servers_.tell_cluster();
  }

  // A server that was started again has another id, but the entries are there.
  const TableModel::StreamPosition* source_with_entries() {
    for (const TableModel::StreamPosition& each : known_)
      for (const auto& [key, id] : each.partitions)
        if (each.source.starts_with("redis") && last_.contains(key) && is_time(id) &&
            first_entry(key, id, id) == id)
          return &each;
    return nullptr;
  }

  // Which of the sources that the model knows this is; and what the user should know of it.
  void compare() {
    look_for_cluster();
    first_entry(last_.begin()->first, "-", "+");  // now it is known who has the key
    const std::vector<std::string> ids = replication_ids();
    const std::string id = ids.empty() ? "" : ids.front();
    const TableModel::StreamPosition* found = find_source(known_, address_.text, id);
    if (found == nullptr && ids.size() > 1) found = find_source(known_, address_.text, ids[1]);
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

  // A master that took over may lack the events that came last, and give smaller ids to those that come next: the place is then
  // behind the last event that both had.
  void find_place_again() {
    if (!may_have_other_server_) return;
    for (auto& [key, id] : last_) {
      std::deque<std::string>& recent = recent_[key];
      std::size_t lacking = 0;
      auto each = recent.rbegin();
      while (each != recent.rend() && first_entry(key, *each, *each).empty()) ++each, ++lacking;
      if (lacking == 0 || each == recent.rend()) continue;
      wait_.tell(fmt::format("the server that answers now lacks {} of {} that had come behind {}",
                             counted(lacking, "event"), key, *each));
      id = *each;
      recent.erase(each.base(), recent.end());
    }
    may_have_other_server_ = false;
  }

  const TableModel::StreamPosition* source_of_address() const {
    for (const TableModel::StreamPosition& each : known_)
      if (address_of_source(each.source) == address_.text) return &each;
    return nullptr;
  }

  // Events behind the position may be gone if the one that was learned last is, and a key may be misspelt.
  void tell_gaps() {
    for (const auto& [key, id] : last_) {
      const std::string first = first_entry(key, "-", "+");
      if (first.empty())
        tell_nothing(key);
      else if (id != kBeforeAll && first_entry(key, id, id).empty())
        wait_.tell(
            fmt::format("the event that was learned last, {} {}, is no longer there; events "
                        "between it and {} may be lost",
                        key, id, first_entry(key, id, "+")));
    }
  }

  // A stream may be empty, but whoever wants to read a key to its end and mistypes it wants to know. Users may be forbidden to
  // ask; then nobody knows.
  void tell_nothing(const std::string& key) {
    const RedisReply reply = servers_.ask_for_any(key, {"EXISTS", key});
    const bool is_known = reply->type == REDIS_REPLY_INTEGER;
    if (is_known && reply->integer == 0 && how_.until_end)
      throw FileError(address_.text + ": there is no key " + key +
                          ", and --until-end does not wait for one; is it misspelt?",
                      address_.text);
    wait_.tell(fmt::format("there is {} yet; {}",
                           is_known && reply->integer == 0 ? "no key " + key : "nothing in " + key,
                           how_.until_end ? "nothing to read" : "waiting for its events"));
  }

  StreamAddress address_;
  KnownSources known_;
  StreamOpening how_;
  BrokerWait wait_;
  RedisServers servers_;
  std::string name_;  // by which the model keeps it
  Ids last_;          // of each key, the id that was handed out last
  std::map<std::string, std::deque<std::string>> recent_;  // of each key, handed out in this run
  std::size_t first_turn_ = 0;
  bool may_have_other_server_ = false;  // than the one that handed out what came last
  bool is_compared_ = false;            // what the broker has, with the position
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
