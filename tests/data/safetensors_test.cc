#include "data/safetensors.h"

#include <gtest/gtest.h>

#include <bit>
#include <cstring>
#include <iomanip>
#include <limits>
#include <sstream>

#include "files.h"

namespace postrider {
using namespace internal;
namespace {

const std::vector<float> kFloats{1.5F, -0.0F, 3e38F, 1e-45F, std::numeric_limits<float>::infinity(),
                                 0.1F};
const std::vector<double> kDoubles{-2.5, 1e308};
const std::vector<std::uint32_t> kIntegers{0, 1, 4294967295U};

void write_example(const std::string& path) {
  write_safetensors(
      path,
      {view_of<float>("weights", {2, 3}, kFloats), view_of<double>("scale", {2}, kDoubles),
       view_of<std::uint32_t>("counts", {3, 1}, kIntegers), view_of<float>("nothing", {0, 7}, {})},
      {{"format", "example"}, {"quote", "\"\\ \xc3\xa4"}});
}

// A file with this header, put together by hand, and so many bytes of data.
std::string file_of(const std::string& header, std::size_t data) {
  std::string out;
  for (int byte = 0; byte < 8; ++byte)
    out += static_cast<char>((header.size() >> (8 * byte)) & 0xff);
  return out + header + std::string(data, '\1');
}

// CRC-32 bit by bit, as its polynomial says.
std::string crc(const std::string& bytes) {
  std::uint32_t out = 0xffffffffU;
  for (const char byte : bytes) {
    out ^= static_cast<unsigned char>(byte);
    for (int bit = 0; bit < 8; ++bit) out = (out >> 1U) ^ ((out & 1U) != 0 ? 0xedb88320U : 0U);
  }
  std::ostringstream text;
  text << std::hex << std::setfill('0') << std::setw(8) << ~out;
  return text.str();
}

void read_example(const std::string& bytes) {
  SafetensorsReader reader(std::make_unique<std::istringstream>(bytes), "example");
  std::vector<float> floats(6), nothing;
  std::vector<double> doubles(2);
  std::vector<std::uint32_t> integers(3);
  reader.read<float>("weights", {2, 3}, floats);
  reader.read<double>("scale", {2}, doubles);
  reader.read<std::uint32_t>("counts", {3, 1}, integers);
  reader.read<float>("nothing", {0, 7}, nothing);
}

class SafetensorsTest : public testing::Test {
 protected:
  TemporaryFolder folder;
  const std::string path = folder.file("example.safetensors");

  // What reading a file with these bytes complains about; checks that it names the file.
  std::string refusal(const std::string& bytes) {
    write_bytes(path, bytes);
    const std::string out = trouble([&] { SafetensorsReader reader(path); });
    if (out != "no trouble") {
      EXPECT_NE(out.find(path), std::string::npos) << out;
    }
    return out;
  }
  std::string refusal_of_header(const std::string& header, std::size_t data = 8) {
    return refusal(file_of(header, data));
  }
};

TEST_F(SafetensorsTest, ReturnsWhatWasWritten) {
  write_example(path);
  SafetensorsReader reader(path);
  EXPECT_EQ(reader.metadata().at("format"), "example");
  EXPECT_EQ(reader.metadata().at("quote"), "\"\\ \xc3\xa4");
  EXPECT_TRUE(reader.has("weights"));
  EXPECT_FALSE(reader.has("__metadata__"));
  EXPECT_EQ(reader.shape("counts"), (std::vector<std::size_t>{3, 1}));

  // In another order than written, and one of them twice.
  std::vector<std::uint32_t> integers(3);
  std::vector<float> floats(6), nothing;
  std::vector<double> doubles(2);
  reader.read<std::uint32_t>("counts", {3, 1}, integers);
  for (int twice = 0; twice < 2; ++twice) {
    reader.read<float>("weights", {2, 3}, floats);
    ASSERT_EQ(std::memcmp(floats.data(), kFloats.data(), sizeof(float) * 6), 0);
  }
  reader.read<double>("scale", {2}, doubles);
  reader.read<float>("nothing", {0, 7}, nothing);
  EXPECT_EQ(integers, kIntegers);
  EXPECT_EQ(doubles, kDoubles);
}

// The bytes as the format's description has them, read without the reader.
TEST_F(SafetensorsTest, BytesAreTheFormat) {
  write_safetensors(path,
                    {view_of<float>("a", {2}, std::span(kFloats).first(2)),
                     view_of<double>("b", {1, 2}, kDoubles)},
                    {{"k", "v"}});
  const std::string bytes = bytes_of(path);
  const std::string a("\0\0\xc0\x3f\0\0\0\x80", 8);  // 1.5 and -0
  const std::string b(reinterpret_cast<const char*>(kDoubles.data()), 16);
  std::string header = R"({"__metadata__":{"checksum":"00000000","checksum.a":")" + crc(a) +
                       R"(","checksum.b":")" + crc(b) + R"(","k":"v"},)" +
                       R"("a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},)"
                       R"("b":{"dtype":"F64","shape":[1,2],"data_offsets":[8,24]}})";
  while (header.size() % 8 != 0) header += ' ';
  header.replace(header.find("00000000"), 8, crc(file_of(header, 0)));
  ASSERT_EQ(bytes.size(), 8 + header.size() + 24);
  std::uint64_t length = 0;
  for (int byte = 7; byte >= 0; --byte)
    length = 256 * length + static_cast<unsigned char>(bytes[static_cast<std::size_t>(byte)]);
  EXPECT_EQ(length, header.size());
  EXPECT_EQ(bytes.substr(8, header.size()), header);
  // 1.5 is 0x3fc00000 and -2.5 is 0xc004000000000000, lowest byte first.
  EXPECT_EQ(bytes.substr(8 + header.size(), 4), std::string("\0\0\xc0\x3f", 4));
  EXPECT_EQ(bytes.substr(8 + header.size() + 8, 8), std::string("\0\0\0\0\0\0\x04\xc0", 8));
}

TEST_F(SafetensorsTest, ReadsWhatOthersWrite) {
  // Spaces, another order of keys and of arrays, and an array of a type that is not ours.
  write_bytes(path, file_of(R"({ "b": {"shape": [], "dtype": "F32", "data_offsets": [2, 6]},
                                 "half": {"dtype": "F16", "shape": [1], "data_offsets": [0, 2]} } )",
                            6));
  SafetensorsReader reader(path);
  float value = 0;
  reader.read<float>("b", {}, {&value, 1});
  EXPECT_EQ(std::bit_cast<std::uint32_t>(value), 0x01010101U);
  EXPECT_FALSE(reader.has("half"));
  EXPECT_TRUE(reader.metadata().empty());
}

TEST_F(SafetensorsTest, WritingIsAllOrNothing) {
  write_example(path);
  EXPECT_EQ(folder.files(), 1U) << "nothing is left beside the file";
  const std::string before = bytes_of(path);

  // What is taken for a file beside it is no matter.
  std::filesystem::create_directory(path + ".part");
  write_example(path);
  EXPECT_EQ(bytes_of(path), before);
  std::filesystem::remove(path + ".part");

  // The new file replaces the old one whole, even while somebody reads the old one.
  SafetensorsReader reader(path);
  write_safetensors(path, {}, {});
  std::vector<double> doubles(2);
  reader.read<double>("scale", {2}, doubles);
  EXPECT_EQ(doubles, kDoubles);
  EXPECT_FALSE(SafetensorsReader(path).has("scale"));

  const std::string nowhere = folder.file("missing/x");
  EXPECT_NE(trouble([&] { write_example(nowhere); }).find(nowhere), std::string::npos);
  const std::string is_folder = folder.file("folder");
  std::filesystem::create_directory(is_folder);
  EXPECT_NE(trouble([&] { write_example(is_folder); }).find(is_folder), std::string::npos);
  EXPECT_EQ(folder.files(), 2U) << "what could not be renamed is removed";
}

TEST_F(SafetensorsTest, RefusesWhatIsNoSafetensorsFile) {
  EXPECT_EQ(trouble([&] { SafetensorsReader reader(path); }),
            "cannot open " + path + ": No such file or directory");
  EXPECT_NE(refusal("").find("does not begin"), std::string::npos);
  EXPECT_NE(refusal("1234567").find("does not begin"), std::string::npos);
  EXPECT_NE(refusal("long text, but a text").find("does not begin"), std::string::npos);
  EXPECT_NE(refusal(file_of("{}", 0).substr(0, 9)).find("is cut short, within its header"),
            std::string::npos);
  const std::string folder_path = folder.file("folder");
  std::filesystem::create_directory(folder_path);
  EXPECT_NE(trouble([&] { SafetensorsReader reader(folder_path); }).find(folder_path),
            std::string::npos);

  for (const char* header : {"", "{", "[]", "7", "null", "{}}", "{\"a\":}", "{\"\xff\":1}"})
    EXPECT_NE(refusal_of_header(header).find("not a JSON object"), std::string::npos) << header;
  EXPECT_NE(refusal_of_header(std::string(100000, '[')).find("not a JSON"), std::string::npos);
  EXPECT_EQ(refusal_of_header("{}", 0), "no trouble");
}

TEST_F(SafetensorsTest, RefusesMalformedEntries) {
  for (const char* header :
       {R"({"a":1})", R"({"a":{}})", R"({"a":null})", R"({"a":{"dtype":"F32","shape":[2]}})",
        R"({"a":{"dtype":3,"shape":[2],"data_offsets":[0,8]}})",
        R"({"a":{"dtype":"F32","shape":2,"data_offsets":[0,8]}})",
        R"({"a":{"dtype":"F32","shape":["2"],"data_offsets":[0,8]}})",
        R"({"a":{"dtype":"F32","shape":[2.5],"data_offsets":[0,8]}})",
        R"({"a":{"dtype":"F32","shape":[1e300],"data_offsets":[0,8]}})",
        R"({"a":{"dtype":"F32","shape":[-2],"data_offsets":[0,8]}})",
        R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0]}})",
        R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8,9]}})",
        R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0.0,8.5]}})",
        R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[-8,0]}})",
        R"({"a":{"dtype":"F32","shape":[2],"data_offsets":8}})"})
    EXPECT_NE(refusal_of_header(header).find("entry a is malformed"), std::string::npos) << header;
  EXPECT_NE(refusal_of_header(R"({"__metadata__":{"a":1}})").find("__metadata__ is malformed"),
            std::string::npos);
}

TEST_F(SafetensorsTest, RefusesArraysThatDoNotLieInTheFile) {
  const std::string wrong = "does not lie in the file as its header says";
  for (const char* header :
       {R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,4]}})",   // too few bytes
        R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,8]}})",   // too many
        R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[4,12]}})",  // beyond the end
        R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[8,0]}})",   // backwards
        R"({"a":{"dtype":"F64","shape":[0],"data_offsets":[9,9]}})",   // begins outside
        R"({"a":{"dtype":"F32","shape":[4294967296,4294967296,2],"data_offsets":[0,8]}})",
        R"({"a":{"dtype":"F32","shape":[4611686018427387906],"data_offsets":[0,8]}})",
        R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[18446744073709551608,0]}})"})
    EXPECT_NE(refusal_of_header(header).find("the array a " + wrong), std::string::npos) << header;
  EXPECT_EQ(refusal_of_header(R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})"),
            "no trouble");
  // What the header says of itself makes sense: the end is not there.
  EXPECT_NE(refusal_of_header(R"({"a":{"dtype":"F32","shape":[4],"data_offsets":[0,16]}})")
                .find("the file is cut short, by 8 bytes at least"),
            std::string::npos);
}

TEST_F(SafetensorsTest, RefusesArraysThatOverlap) {
  const auto two = [&](const char* first, const char* second) {
    return refusal_of_header(std::string(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":)") +
                             first + R"(},"b":{"dtype":"F32","shape":[1],"data_offsets":)" +
                             second + "}}");
  };
  for (const auto& [first, second] :
       {std::pair{"[0,4]", "[0,4]"}, {"[0,4]", "[3,7]"}, {"[4,8]", "[1,5]"}})
    EXPECT_NE(two(first, second).find("overlap"), std::string::npos) << first << second;
  EXPECT_EQ(two("[0,4]", "[4,8]"), "no trouble");
  EXPECT_EQ(two("[4,8]", "[0,4]"), "no trouble");
}

TEST_F(SafetensorsTest, RefusesToReadWhatIsNotThere) {
  write_example(path);
  SafetensorsReader reader(path);
  std::vector<float> floats(6);
  std::vector<double> doubles(6);
  const auto reading = [&](auto&& attempt) {
    const std::string out = trouble(attempt);
    EXPECT_NE(out.find(path), std::string::npos) << out;
    return out;
  };
  EXPECT_NE(reading([&] { reader.read<float>("bias", {6}, floats); }).find("no array bias"),
            std::string::npos);
  EXPECT_NE(reading([&] { reader.shape("bias"); }).find("no array bias"), std::string::npos);
  EXPECT_NE(reading([&] {
              reader.read<double>("weights", {2, 3}, doubles);
            }).find("is not F64"),
            std::string::npos);
  for (const std::vector<std::size_t>& shape :
       {std::vector<std::size_t>{3, 2}, {6}, {2, 3, 1}, {2, 2}, {}})
    EXPECT_NE(reading([&] { reader.read<float>("weights", shape, floats); }).find("another shape"),
              std::string::npos);
  EXPECT_NE(reading([&] {
              reader.read<float>("weights", {2, 3}, std::span(floats).first(5));
            }).find("another shape"),
            std::string::npos);
  // The file shrinks after it was opened.
  std::filesystem::resize_file(path, bytes_of(path).size() - 20);
  std::vector<std::uint32_t> integers(3);
  EXPECT_NE(reading([&] {
              reader.read<std::uint32_t>("counts", {3, 1}, integers);
            }).find("ends too early"),
            std::string::npos);
}

TEST_F(SafetensorsTest, EveryChangedBitIsRefused) {
  write_example(path);
  const std::string whole = bytes_of(path);
  EXPECT_EQ(trouble([&] { read_example(whole); }), "no trouble");
  for (std::size_t bit = 0; bit < 8 * whole.size(); ++bit) {
    std::string bytes = whole;
    bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ (1 << bit % 8));
    EXPECT_NE(trouble([&] { read_example(bytes); }), "no trouble") << "bit " << bit;
  }
}

TEST_F(SafetensorsTest, ChecksumsAreAllThereOrNone) {
  write_example(path);
  const std::string whole = bytes_of(path);
  EXPECT_TRUE(SafetensorsReader(path).has_checksums());
  EXPECT_FALSE(SafetensorsReader(path).metadata().contains("checksum"));
  // One is taken away by a change of its name, as damage might: the header's own checksum is put right.
  for (const char* key : {"\"checksum\":", "\"checksum.scale\":", "\"checksum.nothing\":"}) {
    std::string header = whole.substr(8, whole.find("}}") + 2 - 8);
    header[header.find(key) + 1] = 'C';
    EXPECT_NE(refusal(file_of(header, 0) + whole.substr(8 + header.size())), "no trouble") << key;
  }
  write_bytes(path, file_of(R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})", 8));
  EXPECT_FALSE(SafetensorsReader(path).has_checksums());
}

TEST_F(SafetensorsTest, RefusesBytesThatBelongToNothing) {
  const auto one = [&](const char* offsets, std::size_t data) {
    return refusal_of_header(
        std::string(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":)") + offsets + "}}", data);
  };
  EXPECT_EQ(one("[0,4]", 4), "no trouble");
  EXPECT_NE(one("[0,4]", 5).find("after its arrays"), std::string::npos);
  EXPECT_NE(one("[4,8]", 8).find("between its arrays"), std::string::npos);
  EXPECT_NE(refusal_of_header("{}", 1).find("after its arrays"), std::string::npos);
}

TEST_F(SafetensorsTest, RefusesKeysThatComeTwice) {
  const std::string entry = R"({"dtype":"F32","shape":[1],"data_offsets":[0,4]})";
  const std::string twice = "twice";
  EXPECT_NE(refusal_of_header(R"({"a":)" + entry + R"(,"a":)" + entry + "}", 4).find(twice),
            std::string::npos);
  EXPECT_NE(refusal_of_header(R"({"__metadata__":{"k":"1","k":"2"}})", 0).find(twice),
            std::string::npos);
  EXPECT_NE(refusal_of_header(R"({"__metadata__":{"k":"1"},"__metadata__":{}})", 0).find(twice),
            std::string::npos);
  EXPECT_NE(refusal_of_header(
                R"({"a":{"dtype":"F32","dtype":"F32","shape":[1],"data_offsets":[0,4]}})", 4)
                .find("malformed"),
            std::string::npos);
}

// Time and memory grow with the header's size and no faster: these end within the test's time.
TEST_F(SafetensorsTest, HostileHeadersAreCheap) {
  const auto arrays = [](int count) {
    std::string out = "{";
    for (int key = 0; key < count; ++key) {
      out += out.size() == 1 ? '"' : ',';
      if (key > 0) out += '"';
      out += std::to_string(key);
      out += R"(":{"dtype":"F32","shape":[0],"data_offsets":[0,0]})";
    }
    return out += '}';
  };
  EXPECT_EQ(refusal_of_header(arrays(150000), 0), "no trouble");
  EXPECT_NE(refusal_of_header(arrays(250000), 0).find("too many keys"), std::string::npos);
  const std::string deep(99000000, '[');
  EXPECT_NE(refusal_of_header(R"({"a":)" + deep, 0).find("entry a is malformed"),
            std::string::npos);
  EXPECT_NE(refusal_of_header(R"({"a":{"shape":)" + deep, 0).find("entry a is malformed"),
            std::string::npos);
  std::string extents = R"({"a":{"shape":[)";
  for (int extent = 0; extent < 100000; ++extent) extents += "1,";
  EXPECT_NE(refusal_of_header(extents, 0).find("entry a is malformed"), std::string::npos);
}

TEST_F(SafetensorsTest, EveryTruncationIsRefused) {
  write_example(path);
  const std::string whole = bytes_of(path);
  for (std::size_t size = 0; size < whole.size(); ++size)
    EXPECT_NE(refusal(whole.substr(0, size)), "no trouble") << size << " of " << whole.size();
}

// Whatever the bytes: an answer or an Error that names the file, and nothing else.
TEST_F(SafetensorsTest, DamageGivesAnErrorOrAFile) {
  write_example(path);
  const std::string whole = bytes_of(path);
  RandomStream random(5, 0);
  constexpr int kFiles = 500;
  int refused = 0;
  for (int file = 0; file < kFiles; ++file) {
    write_bytes(path, damaged(whole, random));
    const std::string complaint = trouble([&] {
      SafetensorsReader reader(path);
      for (const char* name : {"weights", "scale", "counts", "nothing"}) {
        std::vector<float> floats(6);
        reader.read<float>(name, reader.shape(name), floats);
      }
    });
    if (complaint == "no trouble") continue;
    ++refused;
    EXPECT_NE(complaint.find(path), std::string::npos) << complaint;
  }
  EXPECT_GT(refused, kFiles / 4);
}

}  // namespace
}  // namespace postrider
