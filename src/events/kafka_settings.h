// Settings of librdkafka: those of the user's file, and those that the program must have itself.
#pragma once

#ifdef POSTRIDER_HAS_KAFKA
#include <librdkafka/rdkafka.h>

#include <memory>

#include "events/address.h"
#include "events/broker_settings.h"

namespace postrider::cli {

struct FreeKafkaSettings {
  void operator()(rd_kafka_conf_t* settings) const { rd_kafka_conf_destroy(settings); }
};
using KafkaSettings = std::unique_ptr<rd_kafka_conf_t, FreeKafkaSettings>;

// Throws InvalidArgument that names file, line and key, with the library's own words.
KafkaSettings kafka_settings(const StreamAddress& address, const BrokerSettings& file);

}  // namespace postrider::cli
#endif
