// SPDX-License-Identifier: Apache-2.0
// Runs the tributary program and looks at what it leaves.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <sys/types.h>

#include <gtest/gtest.h>

namespace tributary {

/// How a program ended and what it wrote.
struct program_outcome {
  int status = -1;  ///< exit status, or 128 plus the signal that ended it
  std::string out;
  std::string err;
};

/// A program that has been started and not yet waited for.
struct started_program {
  pid_t process = -1;
  std::filesystem::path out;
  std::filesystem::path err;
};

/// A folder of the test's own, in which the program runs.
class program_fixture : public testing::Test {
 protected:
  void SetUp() override;
  void TearDown() override;

  started_program start(const std::vector<std::string>& arguments);
  static program_outcome finish(const started_program& started);
  program_outcome run(const std::vector<std::string>& arguments) {
    return finish(start(arguments));
  }

  /// Expects an exit status of `status` and one line on stderr with all of `parts` in it.
  void expect_complaint(const std::vector<std::string>& arguments, int status,
                        const std::vector<std::string>& parts);

  /// From here on programs obey the permissions of files, even if root runs the tests.
  void obey_permissions() { obeys_permissions_ = true; }

  std::string write(const std::string& name, const std::string& text) const;
  std::string read(const std::string& name) const;
  bool exists(const std::string& name) const;
  /// Names of everything in a folder below the test's own, sorted.
  std::vector<std::string> names_in(const std::string& folder) const;
  std::filesystem::path folder() const { return folder_; }

 private:
  std::filesystem::path folder_;
  int started_ = 0;
  bool obeys_permissions_ = false;
};

/// The contents of a file.
std::string read_file(const std::filesystem::path& path);

}  // namespace tributary
