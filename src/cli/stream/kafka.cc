// Topics of Kafka, by librdkafka.
#include "cli/stream/event_source.h"
#include "cli/stream/position.h"
#include "postrider/error.h"

#ifdef POSTRIDER_HAS_KAFKA
#include <fmt/format.h>
#include <librdkafka/rdkafka.h>

#include <charconv>
#include <map>
#include <set>

namespace postrider::cli {
namespace {

using Clock = std::chrono::steady_clock;
constexpr int kPatienceMs = 30'000;  // with a broker that does not answer
constexpr int kAtOnceMs = 2'000;     // before the user is told so

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

class KafkaTopics : public EventSource {
 public:
  KafkaTopics(const StreamAddress& address, const StreamPosition& from, const Tell& tell)
      : address_(address), tell_(tell) {
    connect();
    assign(from);
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
      take(*message, out);
      if (out.empty() && is_at_end()) break;
    }
    return out;
  }

  bool is_at_end() const override { return ended_.size() == partitions_; }

  // Events behind the newest of all partitions, as far as the broker has told.
  std::string lag() const override {
    std::int64_t out = 0;
    for (const auto& [partition, next] : next_) {
      const std::size_t slash = partition.rfind('/');
      std::int64_t low = 0, high = 0;
      int number = 0;
      std::from_chars(partition.data() + slash + 1, partition.data() + partition.size(), number);
      if (rd_kafka_get_watermark_offsets(client_.get(), partition.substr(0, slash).c_str(), number,
                                         &low, &high) == RD_KAFKA_RESP_ERR_NO_ERROR &&
          high > next)
        out += high - next;
    }
    return fmt::format("{} event{}", out, out == 1 ? "" : "s");
  }

 private:
  [[noreturn]] void fail(const std::string& why) const {
    throw FileError(address_.text + ": " + why, address_.text);
  }

  // The position is kept in the model and nowhere else.
  void connect() {
    rd_kafka_conf_t* const settings = rd_kafka_conf_new();
    const std::pair<const char*, std::string> wanted[] = {{"bootstrap.servers", address_.host},
                                                          {"group.id", "postrider"},
                                                          {"enable.auto.commit", "false"},
                                                          {"enable.auto.offset.store", "false"},
                                                          {"auto.offset.reset", "error"},
                                                          {"enable.partition.eof", "true"},
                                                          {"log_level", "0"}};
    char why[512];
    for (const auto& [name, value] : wanted)
      if (rd_kafka_conf_set(settings, name, value.c_str(), why, sizeof why) != RD_KAFKA_CONF_OK) {
        rd_kafka_conf_destroy(settings);
        fail(why);
      }
    client_.reset(rd_kafka_new(RD_KAFKA_CONSUMER, settings, why, sizeof why));
    if (!client_) {
      rd_kafka_conf_destroy(settings);
      fail(why);
    }
    rd_kafka_poll_set_consumer(client_.get());
  }

  std::int32_t partitions_of(const std::string& topic) const {
    rd_kafka_topic_t* const handle = rd_kafka_topic_new(client_.get(), topic.c_str(), nullptr);
    if (handle == nullptr) fail(rd_kafka_err2str(rd_kafka_last_error()));
    const rd_kafka_metadata_t* found = nullptr;
    rd_kafka_resp_err_t error = rd_kafka_metadata(client_.get(), 0, handle, &found, kAtOnceMs);
    if (error != RD_KAFKA_RESP_ERR_NO_ERROR) {
      tell_(fmt::format("{}: {}; waiting for it, {} s at most", address_.text,
                        rd_kafka_err2str(error), kPatienceMs / 1000));
      error = rd_kafka_metadata(client_.get(), 0, handle, &found, kPatienceMs - kAtOnceMs);
    }
    rd_kafka_topic_destroy(handle);
    const Metadata metadata(found);
    if (error != RD_KAFKA_RESP_ERR_NO_ERROR) fail(rd_kafka_err2str(error));
    if (metadata->topic_cnt != 1 || metadata->topics[0].partition_cnt == 0)
      fail("there is no topic " + topic);
    return metadata->topics[0].partition_cnt;
  }

  void assign(const StreamPosition& from) {
    const Partitions list(rd_kafka_topic_partition_list_new(1));
    for (const std::string& topic : address_.names) {
      const std::int32_t count = partitions_of(topic);
      for (std::int32_t partition = 0; partition < count; ++partition) {
        const std::string name = name_of(topic.c_str(), partition);
        const std::optional<std::uint64_t> last = number_at(from, name);
        const std::int64_t next = last ? static_cast<std::int64_t>(*last) + 1 : 0;
        rd_kafka_topic_partition_list_add(list.get(), topic.c_str(), partition)->offset =
            last ? next : RD_KAFKA_OFFSET_BEGINNING;
        next_[name] = next;
        ++partitions_;
      }
    }
    const rd_kafka_resp_err_t error = rd_kafka_assign(client_.get(), list.get());
    if (error != RD_KAFKA_RESP_ERR_NO_ERROR) fail(rd_kafka_err2str(error));
  }

  void take(const rd_kafka_message_t& message, std::vector<Event>& to) {
    if (message.err == RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN ||
        message.err == RD_KAFKA_RESP_ERR__TRANSPORT)
      return;  // it goes on trying
    if (message.rkt == nullptr) fail(rd_kafka_message_errstr(&message));
    const std::string partition = name_of(rd_kafka_topic_name(message.rkt), message.partition);
    if (message.err == RD_KAFKA_RESP_ERR__PARTITION_EOF) {
      ended_.insert(partition);
      return;
    }
    if (message.err != RD_KAFKA_RESP_ERR_NO_ERROR)
      fail(partition + ": " + rd_kafka_message_errstr(&message));
    ended_.erase(partition);
    next_[partition] = message.offset + 1;
    Event event{partition, std::to_string(message.offset)};
    if (message.len > 0) event.json.assign(static_cast<const char*>(message.payload), message.len);
    to.push_back(std::move(event));
  }

  StreamAddress address_;
  Tell tell_;
  Client client_;
  std::size_t partitions_ = 0;
  std::set<std::string> ended_;               // partitions without further events
  std::map<std::string, std::int64_t> next_;  // of each partition
};

}  // namespace

std::unique_ptr<EventSource> open_kafka(const StreamAddress& address, const StreamPosition& from,
                                        const Tell& tell) {
  return std::make_unique<KafkaTopics>(address, from, tell);
}

}  // namespace postrider::cli

#else

namespace postrider::cli {

std::unique_ptr<EventSource> open_kafka(const StreamAddress& address, const StreamPosition&,
                                        const Tell&) {
  reject("--from", address.text,
         "needs a program that was built with librdkafka (Debian: librdkafka-dev)");
}

}  // namespace postrider::cli

#endif
