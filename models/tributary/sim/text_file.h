// SPDX-License-Identifier: Apache-2.0
// Text files that are written whole or not at all and read line by line, plain or gzip; and files
// read at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace tributary {

/// Writes a text file that appears under its name whole or not at all (see `atomic_file`),
/// compressed by gzip if the name ends in ".gz". The same text gives the same bytes.
/// Every member throws `input_error` with path, reason and advice.
class text_writer {
 public:
  explicit text_writer(const std::string& path);
  ~text_writer();
  text_writer(const text_writer&) = delete;
  text_writer& operator=(const text_writer&) = delete;

  void write(std::string_view text);

  /// Gives the text its name; nothing can be written after it. Without it no file appears.
  void commit();

 private:
  struct implementation;
  std::unique_ptr<implementation> implementation_;
};

/// Reads a text file line by line; gzip is recognised by its content, not by the name.
class text_reader {
 public:
  /// Throws `input_error` if the file cannot be opened.
  explicit text_reader(std::string path);
  ~text_reader();
  text_reader(const text_reader&) = delete;
  text_reader& operator=(const text_reader&) = delete;

  /// The next line without its end (LF or CR LF); false after the last. Throws `input_error` for a
  /// file that cannot be read, compressed data that is damaged or ends early, and a line of more
  /// than `longest_line` characters.
  bool next_line(std::string& line);

  /// Number of the line that was read last, from 1.
  std::uint64_t line_number() const;

  /// "path:line", to begin messages about the line that was read last.
  std::string place() const;

  /// Longest line in characters; a longer one is a sign of a file that is no text.
  static constexpr std::size_t longest_line = 4096;

 private:
  struct implementation;
  std::unique_ptr<implementation> implementation_;
};

/// All bytes of a file, as they are. Throws `input_error` with path and reason, for a directory
/// too.
std::string read_whole_file(const std::string& path);

}  // namespace tributary
