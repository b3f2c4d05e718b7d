#include "text/terminal.h"

#include <gtest/gtest.h>

#include <sstream>

namespace postrider::cli {
namespace {

std::string through_buffer(const std::string& text) {
  std::stringbuf to;
  PrintableBuffer buffer(&to);
  std::ostream stream(&buffer);
  for (const char byte : text) stream.put(byte);  // also where a character is cut in two
  return to.str();
}

TEST(Printable, WritesControlCharactersOut) {
  EXPECT_EQ(printable("a\x1b[31mb"), "a\\x1b[31mb");
  EXPECT_EQ(printable("\r\n\t\x7f"), "\\x0d\\x0a\\x09\\x7f");
  EXPECT_EQ(printable(std::string("\0", 1)), "\\x00");
  EXPECT_EQ(printable("\xc2\x9b"
                      "31m"),
            "\\x9b31m")
      << "the C1 controls are two bytes in UTF-8";
}

// A name that is turned reads as another one: "gpj.exe" after U+202E as "exe.jpg".
TEST(Printable, WritesOutWhatTurnsTheDirection) {
  EXPECT_EQ(printable("a\u202egpj.exe\u202c"), "a\\u202egpj.exe\\u202c");
  EXPECT_EQ(printable("\u061c\u200e\u200f\u202a\u2066\u2069"),
            "\\u061c\\u200e\\u200f\\u202a\\u2066\\u2069");
  EXPECT_EQ(through_buffer("a\u202egpj\u2067|\u061c|"), "a\\u202egpj\\u2067|\\u061c|");
}

TEST(Printable, LeavesLettersAlone) {
  const std::string text = "Größe, Preis in € \xc2\xa0 日本 “…” \u0627\u0644";
  EXPECT_EQ(printable(text), text);
  EXPECT_EQ(through_buffer(text), text);
}

TEST(PrintableBuffer, LetsLinesAndTabsThrough) {
  EXPECT_EQ(through_buffer("a\tb\nc\r\x1b]0;title\x07"), "a\tb\nc\\x0d\\x1b]0;title\\x07");
  EXPECT_EQ(through_buffer("\xc2\x85|\xc2\xb5|\xc2\xc2\x80"), "\\x85|\xc2\xb5|\xc2\\x80");
  EXPECT_EQ(through_buffer("\xe2\x80|\xe2\xe2\x80\xae|\u2026"), "\xe2\x80|\xe2\\u202e|\u2026");
}

TEST(TerminalGuard, ChangesNothingElsewhere) {
  std::ostringstream stream;
  {
    const TerminalGuard guard(stream, -1);
    stream << "\x1b[31m";
  }
  EXPECT_EQ(stream.str(), "\x1b[31m");
}

}  // namespace
}  // namespace postrider::cli
