// A broker of Kafka for tests, of librdkafka's own: kafka_broker TOPIC PARTITIONS.
//
// Prints its address, then sends each line of standard input to the topic, to one partition after another, prints how
// many were delivered, and lives until its standard input ends.
#include <librdkafka/rdkafka.h>
#include <librdkafka/rdkafka_mock.h>

#include <cstdlib>
#include <iostream>
#include <string>

int main(int count, char** arguments) {
  if (count != 3) return 2;
  char why[512];
  rd_kafka_conf_t* const settings = rd_kafka_conf_new();
  rd_kafka_conf_set(settings, "test.mock.num.brokers", "1", why, sizeof why);
  rd_kafka_t* const client = rd_kafka_new(RD_KAFKA_PRODUCER, settings, why, sizeof why);
  if (client == nullptr) {
    std::cerr << why << "\n";
    return 1;
  }
  rd_kafka_mock_cluster_t* const cluster = rd_kafka_handle_mock_cluster(client);
  const int partitions = std::atoi(arguments[2]);
  rd_kafka_mock_topic_create(cluster, arguments[1], partitions, 1);
  std::cout << rd_kafka_mock_cluster_bootstraps(cluster) << std::endl;
  int sent = 0;
  for (std::string line; std::getline(std::cin, line);) {
    // The broker goes away, and comes back.
    if (line == "!down" || line == "!up") {
      (line == "!down" ? rd_kafka_mock_broker_set_down : rd_kafka_mock_broker_set_up)(cluster, 1);
      continue;
    }
    // An empty line asks whether all has arrived.
    if (line.empty()) {
      rd_kafka_flush(client, 10'000);
      std::cout << sent << std::endl;
      continue;
    }
    while (rd_kafka_producev(
               client, RD_KAFKA_V_TOPIC(arguments[1]), RD_KAFKA_V_PARTITION(sent % partitions),
               RD_KAFKA_V_MSGFLAGS(RD_KAFKA_MSG_F_COPY), RD_KAFKA_V_VALUE(line.data(), line.size()),
               RD_KAFKA_V_END) == RD_KAFKA_RESP_ERR__QUEUE_FULL)
      rd_kafka_poll(client, 100);
    ++sent;
  }
  rd_kafka_destroy(client);
}
