// Topics of Kafka, by librdkafka.
#include "events/address.h"
#include "events/event_source.h"
#include "events/kafka_settings.h"
#include "postrider/error.h"

#ifdef POSTRIDER_HAS_KAFKA
#include <fmt/format.h>
#include <librdkafka/rdkafka.h>

#include <charconv>
#include <map>
#include <set>
#include <tuple>
#include <utility>

namespace postrider::cli {
namespace {

using Clock = std::chrono::steady_clock;
constexpr int kAtOnceMs = 2'000;  // in which a broker answers, or the user is told
// A broker that has nothing to say is asked now and then whether it is there.
constexpr std::chrono::seconds kSilence{10};

struct Destroy {
  void operator()(rd_kafka_t* client) const {
    rd_kafka_consumer_close(client);
    rd_kafka_destroy(client);
  }
  void operator()(rd_kafka_topic_partition_list_t* list) const {
    rd_kafka_topic_partition_list_destroy(list);
  }
  void operator()(rd_kafka_message_t* message) const { rd_kafka_message_destroy(message); }
  void operator()(const rd_kafka_metadata_t* metadata) const {
    rd_kafka_metadata_destroy(metadata);
  }
};
using Client = std::unique_ptr<rd_kafka_t, Destroy>;
using Partitions = std::unique_ptr<rd_kafka_topic_partition_list_t, Destroy>;
using Message = std::unique_ptr<rd_kafka_message_t, Destroy>;
using Metadata = std::unique_ptr<const rd_kafka_metadata_t, Destroy>;

std::string name_of(const char* topic, std::int32_t partition) {
  return fmt::format("{}/{}", topic, partition);
}

std::pair<std::string, std::int32_t> place_of(const std::string& name) {
  const std::size_t slash = name.rfind('/');
  std::int32_t partition = 0;
  std::from_chars(name.data() + slash + 1, name.data() + name.size(), partition);
  return {name.substr(0, slash), partition};
}

// An answer that came damaged, or not at all: it is asked for again.
bool is_passing(rd_kafka_resp_err_t error) {
  switch (error) {
    case RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN:
    case RD_KAFKA_RESP_ERR__TRANSPORT:
    case RD_KAFKA_RESP_ERR__RESOLVE:
    case RD_KAFKA_RESP_ERR__TIMED_OUT:
    case RD_KAFKA_RESP_ERR__BAD_MSG:
    case RD_KAFKA_RESP_ERR__BAD_COMPRESSION:
    case RD_KAFKA_RESP_ERR__UNDERFLOW:
    case RD_KAFKA_RESP_ERR_INVALID_MSG:
      return true;
    default:
      return false;
  }
}

class KafkaTopics : public EventSource {
 public:
  KafkaTopics(const StreamAddress& address, const KnownSources& known, const StreamOpening& how)
      : address_(address), wait_(address, how) {
    connect(how.broker);
    for (const std::string& topic : address_.names)
      while (!find_partitions(topic))
        if (wait_.stops()) return;
    assign(known_position(known, how.tell));
  }

  std::vector<Event> next(std::size_t most, std::chrono::milliseconds wait) override {
    std::vector<Event> out;
    const Clock::time_point until = Clock::now() + wait;
    while (out.size() < most) {
      // What has arrived already is taken at once; the first event is waited for.
      const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - Clock::now());
      const int patience =
          out.empty() ? static_cast<int>(std::max<std::int64_t>(left.count(), 0)) : 0;
      const Message message(rd_kafka_consumer_poll(client_.get(), patience));
      if (!message) break;
      if (!is_passing(message->err)) heard();
      take(*message, out);
      if (out.empty() && is_at_end()) break;
    }
    if (out.empty()) look_for_broker();
    return out;
  }

  bool is_at_end() const override { return !wait_.is_missing() && ended_.size() == next_.size(); }
  void put_position(TableModel::StreamPosition& to) const override {
    to.source = name_;
    for (const auto& [partition, next] : next_)
      if (next > 0) to.partitions[partition] = std::to_string(next - 1);
  }

  // Events behind the newest of all partitions, as far as the broker has told.
  StreamLag lag() const override {
    if (wait_.is_missing()) return {StreamLag::Unit::events};
    std::int64_t out = 0;
    for (const auto& [name, next] : next_) {
      const auto [topic, partition] = place_of(name);
      std::int64_t low = 0, high = 0;
      if (rd_kafka_get_watermark_offsets(client_.get(), topic.c_str(), partition, &low, &high) ==
              RD_KAFKA_RESP_ERR_NO_ERROR &&
          high > next)
        out += high - next;
    }
    return {StreamLag::Unit::events, static_cast<double>(out)};
  }
  std::string outage() const override { return wait_.outage(); }

 private:
  [[noreturn]] void fail(const std::string& why) const {
    throw FileError(address_.text + ": " + why, address_.text);
  }

  void connect(const BrokerSettings& file) {
    KafkaSettings settings = kafka_settings(address_, file);
    rd_kafka_conf_set_opaque(settings.get(), this);
    rd_kafka_conf_set_error_cb(settings.get(), &hear_trouble);
    char why[512];
    client_.reset(rd_kafka_new(RD_KAFKA_CONSUMER, settings.get(), why, sizeof why));
    if (!client_) file.refuse(why);
    std::ignore = settings.release();  // is the client's by now
    rd_kafka_poll_set_consumer(client_.get());
  }

  // The library knows more than that nobody answers, such as that a certificate is not accepted, and tells it to whoever polls.
  static void hear_trouble(rd_kafka_t*, int error, const char* why, void* self) {
    auto& topics = *static_cast<KafkaTopics*>(self);
    if (error == RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN) {
      topics.heard_ = {};
      return;  // says less than what came before it
    }
    topics.trouble_ = why;
    topics.is_refused_ = error == RD_KAFKA_RESP_ERR__AUTHENTICATION;
  }

  // A user that is not known now will not be later.
  void miss(const char* why) {
    if (is_refused_ && !wait_.has_answered()) fail(trouble_);
    wait_.missing(trouble_.empty() ? why : trouble_);
  }

  // False if the broker did not answer.
  bool find_partitions(const std::string& topic) {
    rd_kafka_topic_t* const handle = rd_kafka_topic_new(client_.get(), topic.c_str(), nullptr);
    if (handle == nullptr) fail(rd_kafka_err2str(rd_kafka_last_error()));
    const rd_kafka_metadata_t* found = nullptr;
    const rd_kafka_resp_err_t error =
        rd_kafka_metadata(client_.get(), 0, handle, &found, kAtOnceMs);
    rd_kafka_topic_destroy(handle);
    const Metadata metadata(found);
    if (error != RD_KAFKA_RESP_ERR_NO_ERROR) {
      const Message none(rd_kafka_consumer_poll(client_.get(), 0));  // lets the library tell more
      miss(rd_kafka_err2str(error));
      return false;
    }
    if (metadata->topic_cnt != 1 || metadata->topics[0].partition_cnt == 0)
      fail("there is no topic " + topic);
    for (std::int32_t partition = 0; partition < metadata->topics[0].partition_cnt; ++partition)
      next_[name_of(topic.c_str(), partition)] = 0;
    heard();
    return true;
  }

  std::string cluster_id() const {
    char* const text = rd_kafka_clusterid(client_.get(), kAtOnceMs);
    const std::string out = text == nullptr ? "" : text;
    if (text != nullptr) rd_kafka_mem_free(client_.get(), text);
    return out;
  }

  // Brokers have many addresses, and a cluster has one id. An id that is new would have all events learned from the first one
  // on: it must come twice, since nothing else tells a damaged one.
  TableModel::StreamPosition known_position(const KnownSources& known, const Tell& tell) {
    std::string id = cluster_id();
    const TableModel::StreamPosition* found = find_source(known, address_.text, id);
    for (std::string before; found == nullptr && id != before && !wait_.stops();) {
      ask_for_brokers();
      before = std::exchange(id, cluster_id());
      found = find_source(known, address_.text, id);
    }
    name_ = found != nullptr ? found->source : source_name(address_.text, id);
    if (found != nullptr) return *found;
    if (const std::string notice = other_source(known, address_); !notice.empty()) tell(notice);
    return {};
  }

  void assign(const TableModel::StreamPosition& from) {
    const Partitions list(rd_kafka_topic_partition_list_new(1));
    for (auto& [name, next] : next_) {
      const auto [topic, partition] = place_of(name);
      const std::optional<std::uint64_t> last = number_at(from, name);
      if (last) next = static_cast<std::int64_t>(*last) + 1;
      rd_kafka_topic_partition_list_add(list.get(), topic.c_str(), partition)->offset =
          last ? next : RD_KAFKA_OFFSET_BEGINNING;
    }
    const rd_kafka_resp_err_t error = rd_kafka_assign(client_.get(), list.get());
    if (error != RD_KAFKA_RESP_ERR_NO_ERROR) fail(rd_kafka_err2str(error));
  }

  void heard() {
    heard_ = Clock::now();
    trouble_.clear();
    is_refused_ = false;
    wait_.answers();
  }

  // The library goes on trying in silence, for as long as it takes.
  void look_for_broker() {
    if (next_.empty() || (!wait_.is_missing() && Clock::now() - heard_ < kSilence)) return;
    ask_for_brokers();
  }

  // Metadata come in the time given; a question for offsets waits for a broker that is gone, whatever it was given.
  void ask_for_brokers() {
    const rd_kafka_metadata_t* found = nullptr;
    const rd_kafka_resp_err_t error =
        rd_kafka_metadata(client_.get(), 0, nullptr, &found, kAtOnceMs);
    if (found != nullptr) rd_kafka_metadata_destroy(found);
    if (error == RD_KAFKA_RESP_ERR_NO_ERROR)
      heard();
    else
      miss(rd_kafka_err2str(error));
  }

  // From behind the event that was handed out last. What the library has beyond it is dropped.
  void read_again(rd_kafka_topic_t* topic, std::int32_t partition, std::int64_t next) {
    rd_kafka_seek(topic, partition, next > 0 ? next : RD_KAFKA_OFFSET_BEGINNING, 0);
  }

  // Topics have no gaps between offsets, but for those that are compacted or written by transactions. An offset is not part of
  // what a checksum covers: the first gap must come twice to be believed.
  bool is_believed(const std::string& partition, std::int64_t offset) {
    if (offset == next_[partition] || has_gaps_.contains(partition)) return true;
    if (const auto before = gaps_.find(partition);
        before != gaps_.end() && before->second == offset) {
      has_gaps_.insert(partition);
      return true;
    }
    gaps_[partition] = offset;
    return false;
  }

  void take(const rd_kafka_message_t& message, std::vector<Event>& to) {
    if (is_passing(message.err)) {
      heard_ = {};  // it goes on trying
      trouble_ = rd_kafka_message_errstr(&message);
      if (message.rkt != nullptr)
        read_again(message.rkt, message.partition,
                   next_[name_of(rd_kafka_topic_name(message.rkt), message.partition)]);
      return;
    }
    if (message.rkt == nullptr) fail(rd_kafka_message_errstr(&message));
    const std::string partition = name_of(rd_kafka_topic_name(message.rkt), message.partition);
    if (message.err == RD_KAFKA_RESP_ERR__PARTITION_EOF) {
      ended_.insert(partition);
      return;
    }
    if (message.err == RD_KAFKA_RESP_ERR_OFFSET_OUT_OF_RANGE ||
        message.err == RD_KAFKA_RESP_ERR__AUTO_OFFSET_RESET)
      fail(
          fmt::format("{}: the event behind the one that was learned last, {}, is not there: the "
                      "topic was made anew, or its events were deleted. A model that knows "
                      "nothing of the topic reads it from its beginning",
                      partition, next_[partition] - 1));
    if (message.err != RD_KAFKA_RESP_ERR_NO_ERROR)
      fail(partition + ": " + rd_kafka_message_errstr(&message));
    ended_.erase(partition);
    if (message.offset < next_[partition]) return;  // was handed out already
    if (!is_believed(partition, message.offset))
      return read_again(message.rkt, message.partition, next_[partition]);
    next_[partition] = message.offset + 1;
    Event event{partition, std::to_string(message.offset)};
    if (message.len > 0) event.json.assign(static_cast<const char*>(message.payload), message.len);
    to.push_back(std::move(event));
  }

  StreamAddress address_;
  BrokerWait wait_;
  std::string name_;                // by which the model keeps it
  Clock::time_point heard_ = {};    // of the broker, last
  std::string trouble_;             // what the library said of it since then
  bool is_refused_ = false;         // the broker does not know the user
  std::set<std::string> ended_;     // partitions without further events
  std::set<std::string> has_gaps_;  // partitions that have, as is known by now
  std::map<std::string, std::int64_t>
      gaps_;  // of each partition, the event behind one that came once
  std::map<std::string, std::int64_t> next_;  // of each partition
  Client client_;  // is the first to go: what it says while it is closed goes to the others
};

}  // namespace

std::unique_ptr<EventSource> open_kafka(const StreamAddress& address, const KnownSources& known,
                                        const StreamOpening& how) {
  return std::make_unique<KafkaTopics>(address, known, how);
}

}  // namespace postrider::cli

#else

namespace postrider::cli {

std::unique_ptr<EventSource> open_kafka(const StreamAddress& address, const KnownSources&,
                                        const StreamOpening&) {
  reject("--from", address.text,
         "needs a program that was built with librdkafka (Debian: librdkafka-dev)");
}

}  // namespace postrider::cli

#endif
