#include <gtest/gtest.h>

#include "data/byte_source.h"
#include "data/table_reader.h"
#include "files.h"

namespace postrider {
using namespace internal;
namespace {

using namespace std::string_literals;

TEST(OtherFormats, AreToldByTheirFirstBytes) {
  for (const auto& [bytes, expected] : std::vector<std::pair<std::string, std::string>>{
           {"BZh91AY&SY"s, "is compressed by bzip2"},
           {"\xfd"
            "7zXZ\0\0"s,
            "is compressed by xz"},
           {"PK\x03\x04 .. data.csv"s, "is a zip archive"},
           {"PK\x03\x04 .. [Content_Types].xml .. xl/workbook.xml"s, "is an Excel file"},
           {"PK\x03\x04 .. mimetypeapplication/vnd.oasis.opendocument.spreadsheet"s,
            "is an OpenDocument file"},
           {"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\0\0"s, "is an old Excel file"},
           {"PAR1\x15\x04"s, "is a Parquet file"},
           {"ARROW1\0\0"s, "is an Arrow file"},
           {"\xff\xff\xff\xff\x10\x01\0\0"s, "is an Arrow stream"},
           {"[{\"a\": 1}]"s, "is JSON"},
           {"{\"a\": 1}\n"s, "is JSON"},
           {"\x90\x01\0\0\0\0\0\0{\"__metadata__\":{}}"s, "is a model file"},
           {"a,b\r1,2\r3,4\r"s, "ends its lines with a carriage return alone"},
       })
    EXPECT_TRUE(advice_on(bytes).starts_with(expected)) << advice_on(bytes);
}

TEST(OtherFormats, TextIsText) {
  for (const std::string& text : {"a,b\n1,2\n"s, "a,b\r\n1,2\r\n"s, "1 1:2\n"s, "[a],b\n1,2\n"s,
                                  "{x},y\n"s, "BZ,h\n"s, ""s, "a,b\r"s, "\"a\rb\rc\",d\n1,2\n"s})
    EXPECT_EQ(advice_on(text), "") << text;
}

TEST(OtherFormats, ATableOfThemIsRefusedWithAdvice) {
  EXPECT_EQ(trouble([] {
              table_reader_of(memory_bytes("PAR1....", "t"), "t.parquet", {});
            }).substr(0, 46),
            "cannot read t.parquet: it is a Parquet file: i");
  EXPECT_NE(trouble([] {
              table_reader_of(memory_bytes("BZh91AY", "t"), "t",
                              {.format = TableOptions::Format::csv});
            }).find("bzip2 -dc"),
            std::string::npos);
}

}  // namespace
}  // namespace postrider
