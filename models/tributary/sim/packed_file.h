// SPDX-License-Identifier: Apache-2.0
// Binary files of compressed sections, written whole or not at all.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace tributary {

/// What a kind of files begins with.
struct packed_format {
  std::string_view magic;  ///< 8 characters
  std::uint32_t version = 0;
  const char* what = "";  ///< "an event recording", for messages
};

/// Writes a file that appears under its name whole or not at all (see `atomic_file`): magic and
/// version, then sections, each compressed by zstd and with a checksum.
/// Every member throws `input_error` with path, reason and advice.
class packed_writer {
 public:
  packed_writer(const std::string& path, const packed_format& format);
  ~packed_writer();
  packed_writer(const packed_writer&) = delete;
  packed_writer& operator=(const packed_writer&) = delete;

  /// `tag` tells the reader what is in it. Of at most `packed_limit` bytes.
  void section(std::uint32_t tag, std::string_view bytes);
  /// Gives the file its name; nothing can be written after it.
  void commit();

 private:
  struct implementation;
  std::unique_ptr<implementation> implementation_;
};

/// Reads such a file, section by section. Members throw `input_error` for a file that cannot be
/// read, is of another kind or version, or is damaged; it names the file and the byte.
class packed_reader {
 public:
  packed_reader(std::string path, const packed_format& format);
  ~packed_reader();
  packed_reader(const packed_reader&) = delete;
  packed_reader& operator=(const packed_reader&) = delete;

  /// The next section; false at the end of the file.
  bool next();
  std::uint32_t tag() const;
  /// The bytes of the last section, until the next is read.
  std::string_view bytes() const;
  /// "path: byte 123", where the last section begins, for messages.
  std::string place() const;

 private:
  struct implementation;
  std::unique_ptr<implementation> implementation_;
};

/// Most bytes of a section, uncompressed; more is a sign of damage.
inline constexpr std::uint32_t packed_limit = std::uint32_t{1} << 28;

}  // namespace tributary
