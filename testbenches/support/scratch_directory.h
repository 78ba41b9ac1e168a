// SPDX-License-Identifier: Apache-2.0
// Files of a test's own.
#pragma once

#include <gtest/gtest.h>
#include <zlib.h>

#include <array>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace tributary::testing {

/// An empty directory that ends with its content.
class scratch_directory {
 public:
  scratch_directory() {
    std::string name = (std::filesystem::path(::testing::TempDir()) / "tributary_XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no directory " + name);
    directory_ = name;
  }
  ~scratch_directory() {
    std::error_code ignored;
    std::filesystem::remove_all(directory_, ignored);
  }
  scratch_directory(const scratch_directory&) = delete;
  scratch_directory& operator=(const scratch_directory&) = delete;

  std::string path(const std::string& name) const { return (directory_ / name).string(); }

  /// Files in the directory, temporary ones included.
  std::size_t files() const {
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(directory_),
                                                  std::filesystem::directory_iterator()));
  }

  std::string write(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories(std::filesystem::path(path(name)).parent_path());
    std::ofstream(path(name), std::ios::binary) << text;
    return path(name);
  }
  /// The bytes of a file; fails the test if there is none.
  std::string read(const std::string& name) const {
    std::ifstream file(path(name), std::ios::binary);
    EXPECT_TRUE(file.is_open()) << path(name);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
  }
  /// The text of a gzip file.
  std::string read_gzip(const std::string& name) const {
    std::string text;
    std::array<char, 4096> chunk{};
    gzFile file = ::gzopen(path(name).c_str(), "rb");
    EXPECT_NE(file, nullptr) << path(name);
    if (file == nullptr) return text;
    EXPECT_EQ(::gzdirect(file), 0) << path(name) << " is not compressed";
    for (int got = 1; got > 0;) {
      got = ::gzread(file, chunk.data(), static_cast<unsigned>(chunk.size()));
      if (got > 0) text.append(chunk.data(), static_cast<std::size_t>(got));
    }
    EXPECT_EQ(::gzclose(file), Z_OK) << path(name) << " is damaged";
    return text;
  }

 private:
  std::filesystem::path directory_;
};

inline std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

}  // namespace tributary::testing
