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
  /// Most bytes of a section by its tag, uncompressed: what a forged file can ask room for.
  std::uint32_t (*most)(std::uint32_t tag) = nullptr;
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

  /// `tag` tells the reader what is in it. Throws `error` for more bytes than the format allows.
  void section(std::uint32_t tag, std::string_view bytes);
  /// The same section as it would stand in the file, to be written later or not at all.
  std::string packed(std::uint32_t tag, std::string_view bytes);
  /// Writes one that was `packed`.
  void write(std::string_view packed);
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

}  // namespace tributary
