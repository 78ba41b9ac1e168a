// SPDX-License-Identifier: Apache-2.0
#include <tributary/sim/text_file.h>

#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <vector>

#include <tributary/sim/error.h>

#include "support/scratch_directory.h"
#include "support/text_checks.h"

namespace tributary {
namespace {

using testing::contains;
using testing::message_of;
using testing::scratch_directory;

std::vector<std::string> read_lines(const std::string& path) {
  text_reader reader(path);
  std::vector<std::string> lines;
  for (std::string line; reader.next_line(line);) lines.push_back(line);
  EXPECT_EQ(reader.line_number(), lines.size());
  return lines;
}

std::string message_of_reading(const std::string& path) {
  return message_of<input_error>([&] { read_lines(path); });
}

void write_text(const std::string& path, const std::string& text) {
  text_writer writer(path);
  writer.write(text);
  writer.commit();
}

/// Text of a megabyte in lines of differing length.
std::string long_text() {
  std::string text;
  for (unsigned i = 0; text.size() < (1U << 20); ++i) {
    text += std::to_string(i * i) + std::string(i % 50, '.') + "\n";
  }
  return text;
}

TEST(text_file, writes_plain_and_compressed_by_name) {
  const scratch_directory here;
  const std::string text = long_text();
  write_text(here.path("plain"), text);
  write_text(here.path("small.gz"), text);
  EXPECT_EQ(here.read("plain"), text);
  EXPECT_EQ(here.read_gzip("small.gz"), text);
  EXPECT_LT(here.read("small.gz").size(), text.size() / 2);
}

TEST(text_file, the_same_text_gives_the_same_bytes) {
  const scratch_directory here;
  write_text(here.path("a.gz"), long_text());
  write_text(here.path("b.gz"), long_text());
  EXPECT_EQ(here.read("a.gz"), here.read("b.gz"));
}

TEST(text_file, without_commit_there_is_no_file) {
  const scratch_directory here;
  {
    text_writer plain(here.path("plain"));
    text_writer compressed(here.path("small.gz"));
    plain.write(long_text());
    compressed.write(long_text());
  }
  EXPECT_EQ(here.files(), 0U);
}

TEST(text_file, a_full_device_is_an_error) {
  EXPECT_THROW(write_text("/dev/full", long_text()), input_error);
  EXPECT_THROW(write_text("/nowhere/at/all", "text"), input_error);
}

TEST(text_file, reads_back_lines_by_content_not_by_name) {
  const scratch_directory here;
  const std::string text = long_text();
  write_text(here.path("plain"), text);
  write_text(here.path("small.gz"), text);
  std::filesystem::rename(here.path("small.gz"), here.path("other"));
  EXPECT_EQ(read_lines(here.path("plain")), testing::lines_of(text));
  EXPECT_EQ(read_lines(here.path("other")), testing::lines_of(text));
}

TEST(text_file, lines_may_end_in_any_way) {
  const scratch_directory here;
  EXPECT_EQ(read_lines(here.write("a", "one\r\n\ntwo")),
            (std::vector<std::string>{"one", "", "two"}));
  EXPECT_EQ(read_lines(here.write("b", "")), std::vector<std::string>{});
}

TEST(text_file, every_truncated_compressed_file_is_noticed) {
  const scratch_directory here;
  write_text(here.path("whole.gz"), "one\ntwo\nthree\n");
  const std::string whole = here.read("whole.gz");
  // Below three bytes nothing shows that it was gzip.
  for (std::size_t length = 3; length < whole.size(); ++length) {
    const std::string cut = here.write("cut.gz", whole.substr(0, length));
    EXPECT_TRUE(contains(message_of_reading(cut), "compressed"))
        << length << " of " << whole.size() << ": " << message_of_reading(cut);
  }
}

TEST(text_file, a_long_truncated_file_is_noticed_with_its_line) {
  const scratch_directory here;
  write_text(here.path("whole.gz"), long_text());
  const std::string whole = here.read("whole.gz");
  const std::string message = message_of_reading(here.write("cut.gz", whole.substr(0, 100000)));
  EXPECT_TRUE(contains(message, "cut.gz: after line "));
  EXPECT_TRUE(contains(message, "ends early"));
}

/// By text that cannot be, by the decoder, or at the latest by the checksum.
TEST(text_file, damaged_compressed_data_is_noticed) {
  const scratch_directory here;
  write_text(here.path("whole.gz"), long_text());
  const std::string whole = here.read("whole.gz");
  for (const std::size_t at : {whole.size() / 3, whole.size() / 2, whole.size() - 6}) {
    std::string bytes = whole;
    bytes[at] = static_cast<char>(bytes[at] ^ 0x55);
    const std::string message = message_of_reading(here.write("bad.gz", bytes));
    EXPECT_TRUE(contains(message, "bad.gz:")) << at << ": " << message;
    if (at == whole.size() - 6) {
      EXPECT_TRUE(contains(message, "damaged")) << message;
    }
  }
}

TEST(text_file, a_line_without_end_is_noticed) {
  const scratch_directory here;
  const std::string message = message_of_reading(here.write("a", std::string(100000, 'x')));
  EXPECT_TRUE(testing::names(message, {"a:1", "4096 characters"}));
}

TEST(text_file, missing_files_and_directories_are_named) {
  const scratch_directory here;
  EXPECT_TRUE(contains(message_of_reading(here.path("none")), "none: cannot read: No such file"));
  EXPECT_TRUE(contains(message_of_reading(here.path(".")), "Is a directory"));
}

}  // namespace
}  // namespace tributary
