#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "base/random.h"
#include "data/random_number.h"
#include "data/written_number.h"

namespace postrider {
using namespace internal;
namespace {

using simple_number::Digits;
using simple_number::leading_digits;

constexpr std::size_t kWord = sizeof(std::uint64_t);

// What is behind the text, and the bytes that must be readable behind that.
std::string followed(const std::string& text, const std::string& by = ",7") {
  return text + by + std::string(kBytesBehindNumber, '\0');
}

TEST(SimpleNumber, DigitsStopAtAnyByteThatIsNone) {
  for (std::size_t count = 0; count < kWord; ++count)
    for (int byte = 0; byte < 256; ++byte) {
      if (byte >= '0' && byte <= '9') continue;
      std::string text = "98765432";
      text[count] = static_cast<char>(byte);
      const Digits found = leading_digits(text.data());
      EXPECT_EQ(found.count, count) << byte;
      EXPECT_EQ(found.value, count == 0 ? 0 : std::stoull(text.substr(0, count))) << byte;
    }
}

TEST(SimpleNumber, EightDigitsAtOnce) {
  RandomStream random(2, 0);
  for (int k = 0; k < 10'000; ++k) {
    std::string text;
    for (std::size_t d = 0; d < kWord; ++d) text += static_cast<char>('0' + random.below(10));
    const Digits found = leading_digits(text.data());
    EXPECT_EQ(found.count, kWord);
    EXPECT_EQ(found.value, std::stoull(text)) << text;
  }
}

// The C library rounds correctly, too, and is the second opinion.
TEST(SimpleNumber, ValuesAreThoseOfTheCLibraryToTheBit) {
  RandomStream random(1, 0);
  std::size_t simple = 0, numbers = 0;
  constexpr std::size_t kNumbers = 300'000;
  for (std::size_t k = 0; k < kNumbers; ++k) {
    const std::string text = random_number(random), cell = followed(text);
    char* stopped = nullptr;
    const double expected = std::strtod(text.c_str(), &stopped);
    if (stopped != text.c_str() + text.size() || text.empty()) continue;
    ++numbers;
    double number = 0;
    const char* const end = read_simple_number(cell.data(), number);
    if (end == nullptr) continue;
    ++simple;
    EXPECT_EQ(end, cell.data() + text.size()) << text;
    EXPECT_EQ(bits(number), bits(expected)) << text;
  }
  EXPECT_GT(numbers, kNumbers / 2);
  EXPECT_GT(simple, numbers / 3);
}

TEST(SimpleNumber, EndsWhereItEnds) {
  for (const std::string text :
       {"1", "-2.5", "0.125e2", "3.", ".5", "-0", "12e-3", "12345678", "1234567.12345678"}) {
    const std::string cell = followed(text);
    double number = 0;
    EXPECT_EQ(read_simple_number(cell.data(), number), cell.data() + text.size());
    EXPECT_EQ(bits(number), bits(std::strtod(text.c_str(), nullptr))) << text;
  }
}

TEST(SimpleNumber, LeavesTheRestToOthers) {
  for (const std::string text :
       {"", "-", ".", "-.", "abc", "1e", "1e+", "1e-x", "+1", " 1", "1e999", "1e99999999999",
        "1e000000001", "12345678901234567890", "9007199254740993"}) {
    const std::string cell = followed(text);
    double number = 0;
    EXPECT_EQ(read_simple_number(cell.data(), number), nullptr) << text;
  }
}

}  // namespace
}  // namespace postrider
