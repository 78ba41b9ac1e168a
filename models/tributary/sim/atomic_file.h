// SPDX-License-Identifier: Apache-2.0
// Files that are written whole or not at all.
#pragma once

#include <string>
#include <string_view>

namespace tributary {

/// A file that appears under its name whole or not at all: written next to it under a temporary
/// name and renamed by `commit`; without a commit the old file stays as it was. Temporary files
/// next to it that killed programs left (NAME.partial-PROCESS-NUMBER) are removed.
/// A device or pipe (which renaming would replace) is written directly.
/// Every member throws `input_error` with path, reason and advice.
class atomic_file {
 public:
  explicit atomic_file(std::string path);
  ~atomic_file();
  atomic_file(const atomic_file&) = delete;
  atomic_file& operator=(const atomic_file&) = delete;

  void write(std::string_view text);

  /// Forces the text to the disk and gives it its name; nothing can be written after it.
  void commit();

 private:
  void open_temporary();
  [[noreturn]] void fail(const char* action, int error_number);
  void flush();
  void discard() noexcept;

  std::string path_;       ///< as the user gave it, for messages
  std::string target_;     ///< where symbolic links lead
  std::string temporary_;  ///< empty if the target is written directly
  std::string buffer_;
  int descriptor_ = -1;
};

/// Writes `text` to `path` whole or not at all; throws `input_error`.
void write_file_atomically(const std::string& path, std::string_view text);

}  // namespace tributary
