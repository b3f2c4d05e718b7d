#include "data/arrow_batches.h"

#include <gtest/gtest.h>

#include <functional>

#include "data/arrow_arrays.h"
#include "files.h"

namespace postrider {
using namespace internal;
namespace {

std::string read_all(const std::vector<MadeBatch>& batches) {
  return trouble([&] {
    ArrowArrayStream stream = MadeStream(batches).stream();
    TableReader reader = read_arrow(stream);
    for (Table chunk; reader.next(chunk);) {
    }
  });
}

// What is said to a batch that was spoiled.
std::string spoiled(MadeColumn column, const std::function<void(MadeColumn&)>& spoil) {
  spoil(column);
  const std::string said = read_all({{{made_numbers<double>("x", "g", {1, 2}), column}, 0, 2}});
  const std::string front = "cannot read the Arrow stream: column \"k\": ";
  return said.find(front) == 0 ? said.substr(front.size()) : said;
}

TEST(ArrowBatches, EverythingIsReleasedOnceAndTheStreamIsTakenOver) {
  MadeStream made(
      {{{made_numbers<double>("x", "g", {1, 2})}}, {{made_numbers<double>("x", "g", {3, 4})}}});
  ArrowArrayStream stream = made.stream();
  {
    ArrowBatches batches(stream);
    EXPECT_EQ(stream.release, nullptr);
    batches.use(0);
    EXPECT_EQ(batches.wait_for(3), 3u);
    EXPECT_EQ(made.held(), 3);  // the stream and two batches; the schema is gone
    batches.drop(2);
    EXPECT_EQ(made.held(), 2);
    const ArrowBatches moved = std::move(batches);
    EXPECT_EQ(made.held(), 2);
    EXPECT_EQ(moved.bytes_read(), 32u);
  }
  EXPECT_EQ(made.held(), 0);
  EXPECT_EQ(trouble([&] { ArrowBatches again(stream); }),
            "the Arrow stream was used before: a stream can be read once, so make a new one");
}

TEST(ArrowBatches, AnErrorOfTheStreamIsPassedOn) {
  MadeStream made({{{made_numbers<double>("x", "g", {1, 2})}}}, 1);
  ArrowArrayStream stream = made.stream();
  EXPECT_EQ(trouble([&] { read_arrow(stream); }),
            "cannot read the Arrow stream: the disk is on fire");
  EXPECT_EQ(made.held(), 0);
}

TEST(ArrowBatches, WithoutRowsOrColumnsThereIsNothingToRead) {
  EXPECT_EQ(read_all({{{made_numbers<double>("x", "g", {})}}}),
            "cannot read the Arrow stream: it has no rows");
  MadeBatch wrong{{made_numbers<double>("x", "g", {1, 2})}};
  wrong.children = 0;
  EXPECT_EQ(read_all({wrong}),
            "cannot read the Arrow stream: a batch has 0 columns, and the schema 1");
  wrong.children = -1;
  wrong.length = 3;
  EXPECT_EQ(read_all({wrong}),
            "cannot read the Arrow stream: column \"x\": it is shorter than the batch");
  wrong.length = 1;
  wrong.offset = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(read_all({wrong}),
            "cannot read the Arrow stream: the offset or length of a batch is out of range");
}

TEST(ArrowBatches, ColumnsThatContradictThemselvesAreErrors) {
  const MadeColumn numbers = made_numbers<std::int32_t>("k", "i", {1, 2});
  EXPECT_EQ(spoiled(numbers, [](MadeColumn&) {}), "no trouble");
  EXPECT_EQ(spoiled(numbers, [](MadeColumn& c) { c.absent[1] = true; }),
            "its values are not there");
  EXPECT_EQ(spoiled(numbers, [](MadeColumn& c) { c.null_count = 1; }),
            "it says that values are missing, and not which");
  EXPECT_EQ(spoiled(numbers,
                    [](MadeColumn& c) {
                      c.buffers.pop_back();
                      c.absent.pop_back();
                    }),
            "it has 1 buffers");
  for (const std::int64_t value : {std::int64_t{-1}, std::numeric_limits<std::int64_t>::max()}) {
    EXPECT_EQ(spoiled(numbers, [&](MadeColumn& c) { c.offset = value; }),
              "its offset or length is out of range");
    EXPECT_EQ(spoiled(numbers, [&](MadeColumn& c) { c.length = value; }),
              "its offset or length is out of range");
  }
}

TEST(ArrowBatches, TextsOutsideOfTheirBuffersAreErrors) {
  const MadeColumn texts = made_texts("k", {"a", "bc"});
  EXPECT_EQ(spoiled(texts, [](MadeColumn&) {}), "no trouble");
  EXPECT_EQ(spoiled(texts,
                    [](MadeColumn& c) {
                      c.buffers[1] = bytes_of_values<std::int32_t>({0, 3, 1});
                    }),
            "the offsets of its texts do not ascend");
  EXPECT_EQ(spoiled(texts,
                    [](MadeColumn& c) {
                      c.buffers[1] = bytes_of_values<std::int32_t>({-1, 1, 3});
                    }),
            "the offsets of its texts do not ascend");
  EXPECT_EQ(spoiled(texts, [](MadeColumn& c) { c.absent[2] = true; }), "its texts are not there");

  const MadeColumn views = made_views("k", {"a", "more than twelve bytes"});
  const auto with_word = [&](std::size_t word, std::int32_t value) {
    return spoiled(
        views, [&](MadeColumn& c) { std::memcpy(c.buffers[1].data() + 16 + 4 * word, &value, 4); });
  };
  EXPECT_EQ(with_word(0, 22), "no trouble");
  EXPECT_EQ(with_word(0, -1), "the length of a text is negative");
  EXPECT_EQ(with_word(0, 23), "a text ends outside of its buffer");
  EXPECT_EQ(with_word(2, 1), "a text is in none of its buffers");
  EXPECT_EQ(with_word(2, -1), "a text is in none of its buffers");
  EXPECT_EQ(with_word(3, 2), "a text ends outside of its buffer");
  EXPECT_EQ(with_word(3, -1), "a text ends outside of its buffer");
}

TEST(ArrowBatches, IndicesOutsideOfTheirDictionaryAreErrors) {
  const auto indexed = [](std::vector<std::int8_t> indices) {
    return made_dictionary<std::int8_t>("k", "c", std::move(indices), made_texts("", {"a", "b"}));
  };
  EXPECT_EQ(spoiled(indexed({0, 1}), [](MadeColumn&) {}), "no trouble");
  EXPECT_EQ(spoiled(indexed({0, 2}), [](MadeColumn&) {}), "an index is none of its dictionary");
  EXPECT_EQ(spoiled(indexed({0, -1}), [](MadeColumn&) {}), "an index is none of its dictionary");
  MadeColumn nested = indexed({0, 1});
  nested.dictionary->dictionary = std::make_shared<MadeColumn>(made_texts("", {"a"}));
  EXPECT_NE(read_all({{{nested}}}).find("column \"k\" is a dictionary of"), std::string::npos);
}

}  // namespace
}  // namespace postrider
