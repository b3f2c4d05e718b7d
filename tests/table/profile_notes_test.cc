#include <gtest/gtest.h>

#include <functional>

#include "people.h"
#include "table/json_reading.h"
#include "table/row_notes.h"

namespace postrider {
using namespace internal;
namespace {

using Json = nlohmann::ordered_json;

struct Read {
  TableProfile profile;
  std::vector<RowMonitor::Digest> learned;
};

Table everybody() {
  TableReader reader = people_reader(people(120, 1), TableOptions{.target = "income"});
  Table out;
  reader.next(out);
  return out;
}

Read read(const Json& json, const Schema& schema) {
  Read out;
  read_profile(json, schema, out.profile, out.learned);
  return out;
}

Json of_everybody(const Table& table) {
  TableProfile profile;
  profile.add(table);
  RowMonitor::Digest digest;
  digest.add(table);
  return profile_json(profile, {digest, {7, 8, 9}});
}

TEST(ProfileNotes, AreReadAsTheyWereWritten) {
  const Table table = everybody();
  TableProfile profile;
  profile.add(table);
  RowMonitor::Digest digest;
  digest.add(table);
  const Json json = Json::parse(of_everybody(table).dump());
  const Read back = read(json, table.schema());
  EXPECT_EQ(back.profile, profile);
  EXPECT_EQ(back.learned, (std::vector<RowMonitor::Digest>{digest, {7, 8, 9}}));
}

TEST(ProfileNotes, ALaterVersionIsPassedOver) {
  const Table table = everybody();
  Json json = of_everybody(table);
  json["version"] = std::uint64_t{2};
  EXPECT_TRUE(read(json, table.schema()).profile.is_empty());
}

TEST(ProfileNotes, WhatMakesNoSenseIsRefused) {
  const Table table = everybody();
  const std::vector<std::function<void(Json&)>> changes{
      [](Json& json) { json["columns"][0]["name"] = "another"; },
      [](Json& json) { json["columns"][0]["missing"] = 1000; },
      [](Json& json) { json["columns"][0]["rows"] = -1; },
      [](Json& json) { json["columns"][0]["knots"][0] = 1e9; },
      [](Json& json) { json["columns"][0]["knots"] = Json::array(); },
      [](Json& json) { json["columns"][0]["knots"][1] = nullptr; },
      [](Json& json) {
        json["columns"][0]["range"] = {2, 1};
      },
      [](Json& json) { json["columns"][0]["magnitude"] = -1; },
      [](Json& json) { json["columns"][0]["counts"].push_back(1); },
      [](Json& json) { json["columns"][0]["counts"][0] = std::uint64_t{1} << 62; },
      [](Json& json) { json["columns"][1]["counts"] = Json::array(); },
      [](Json& json) { json["columns"].push_back(json["columns"][0]); },
      [](Json& json) { json["stride"] = 0; },
      [](Json& json) { json["kept"][0].push_back(1); },
      [](Json& json) { json["kept"][0][0] = 1.5; },
      [](Json& json) { json["kept"][0][0] = std::int64_t{1} << 40; },
      [](Json& json) {
        json["learned"][0] = {1, 2};
      },
      [](Json& json) { json.erase("learned"); },
      [](Json& json) { json = "nothing"; },
  };
  for (std::size_t k = 0; k < changes.size(); ++k) {
    Json json = Json::parse(of_everybody(table).dump());
    changes[k](json);
    EXPECT_THROW(read(json, table.schema()), json_reading::Malformed) << k;
  }
}

}  // namespace
}  // namespace postrider
