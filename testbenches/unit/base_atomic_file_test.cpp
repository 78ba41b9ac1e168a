// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <tributary/sim/atomic_file.h>
#include <tributary/sim/error.h>

#include <sys/resource.h>

#include <csignal>
#include <filesystem>
#include <string>

#include "support/scratch_directory.h"
#include "support/text_checks.h"

namespace tributary {
namespace {

namespace fs = std::filesystem;

class atomic_file_test : public ::testing::Test {
 protected:
  std::string path(const std::string& name) const { return here_.path(name); }
  std::string contents(const std::string& name) const { return here_.read(name); }
  std::size_t files() const { return here_.files(); }
  const testing::scratch_directory& here() const { return here_; }

 private:
  testing::scratch_directory here_;
};

std::string message_of_writing(const std::string& path, const std::string& text = "text") {
  return testing::message_of<input_error>([&] { write_file_atomically(path, text); });
}

// The soft limit on the size of files, standing in for a disk that is full.
class file_size_limit {
 public:
  explicit file_size_limit(rlim_t bytes) {
    old_handler_ = std::signal(SIGXFSZ, SIG_IGN);
    ::getrlimit(RLIMIT_FSIZE, &old_limit_);
    rlimit limit = old_limit_;
    limit.rlim_cur = bytes;
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  file_size_limit(const file_size_limit&) = delete;
  file_size_limit& operator=(const file_size_limit&) = delete;
  ~file_size_limit() {
    ::setrlimit(RLIMIT_FSIZE, &old_limit_);
    std::signal(SIGXFSZ, old_handler_);
  }

 private:
  rlimit old_limit_{};
  void (*old_handler_)(int) = nullptr;
};

TEST_F(atomic_file_test, writes_what_it_is_given) {
  write_file_atomically(path("a"), "one\n");
  EXPECT_EQ(contents("a"), "one\n");
  write_file_atomically(path("a"), "two\n");
  EXPECT_EQ(contents("a"), "two\n");
  write_file_atomically(path("empty"), "");
  EXPECT_TRUE(fs::is_regular_file(path("empty")));
  EXPECT_EQ(files(), 2U);
}

TEST_F(atomic_file_test, writes_large_files_in_pieces) {
  std::string whole;
  atomic_file file(path("large"));
  for (int i = 0; i < 100000; ++i) {
    const std::string line = std::to_string(i) + "\n";
    file.write(line);
    whole += line;
  }
  file.commit();
  EXPECT_EQ(contents("large"), whole);
}

TEST_F(atomic_file_test, nothing_is_there_without_commit) {
  write_file_atomically(path("old"), "old");
  {
    atomic_file abandoned(path("old"));
    abandoned.write(std::string(1000000, 'x'));
    atomic_file new_one(path("new"));
    new_one.write("x");
  }
  EXPECT_EQ(contents("old"), "old");
  EXPECT_EQ(files(), 1U);
}

TEST_F(atomic_file_test, two_at_once_do_not_mix) {
  atomic_file first(path("a"));
  atomic_file second(path("a"));
  first.write("first");
  second.write("second");
  second.commit();
  EXPECT_EQ(contents("a"), "second");
  first.commit();
  EXPECT_EQ(contents("a"), "first");
  EXPECT_EQ(files(), 1U);
}

TEST_F(atomic_file_test, what_a_killed_program_left_is_removed) {
  const atomic_file living(path("a"));
  here().write("a.partial-1-0", "left");
  here().write("b.partial-1-0", "of another file");
  write_file_atomically(path("a"), "new");
  EXPECT_FALSE(fs::exists(path("a.partial-1-0")));
  EXPECT_TRUE(fs::exists(path("b.partial-1-0")));
  EXPECT_EQ(files(), 3U) << "what the living writes stays";
}

TEST_F(atomic_file_test, only_names_of_temporary_files_are_removed) {
  for (const char* own : {"a.partial-", "a.partial-1", "a.partial-1-", "a.partial--1",
                          "a.partial-1-0.txt", "a.partial-results", "a.partial-1-0-0"}) {
    here().write(own, "the user's");
  }
  write_file_atomically(path("a"), "new");
  EXPECT_EQ(files(), 8U);
}

TEST_F(atomic_file_test, a_link_is_followed_and_kept) {
  write_file_atomically(path("real"), "old");
  fs::create_symlink("real", path("link"));
  write_file_atomically(path("link"), "new");
  EXPECT_TRUE(fs::is_symlink(path("link")));
  EXPECT_EQ(contents("real"), "new");
}

TEST_F(atomic_file_test, full_disk_keeps_the_old_file) {
  write_file_atomically(path("a"), "old");
  const file_size_limit limit(4096);
  const std::string message = message_of_writing(path("a"), std::string(10000, 'x'));
  EXPECT_TRUE(testing::names(message, {path("a"), "File too large"}));
  EXPECT_EQ(contents("a"), "old");
  EXPECT_EQ(files(), 1U);
}

TEST_F(atomic_file_test, full_device_is_an_error_and_no_victim) {
  if (!fs::is_character_file("/dev/full")) {
    GTEST_SKIP() << "no /dev/full on this machine";
  }
  EXPECT_TRUE(
      testing::names(message_of_writing("/dev/full"), {"/dev/full", "No space left on device"}));
  EXPECT_TRUE(fs::is_character_file("/dev/full"));
}

TEST_F(atomic_file_test, devices_are_written_directly) {
  write_file_atomically("/dev/null", "text");
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

TEST_F(atomic_file_test, missing_directory_is_named) {
  EXPECT_TRUE(testing::names(message_of_writing(path("no/such/file")),
                             {path("no/such/file"), "No such file or directory"}));
}

TEST_F(atomic_file_test, a_file_is_no_directory) {
  write_file_atomically(path("file"), "");
  EXPECT_TRUE(testing::names(message_of_writing(path("file/below")),
                             {path("file/below"), "Not a directory"}));
  EXPECT_EQ(files(), 1U);
}

TEST_F(atomic_file_test, a_directory_is_no_file) {
  EXPECT_TRUE(testing::names(message_of_writing(path(".")), {path("."), "Is a directory"}));
}

TEST_F(atomic_file_test, target_that_becomes_a_directory_leaves_nothing_behind) {
  atomic_file file(path("a"));
  file.write("text");
  fs::create_directory(path("a"));
  EXPECT_THROW(file.commit(), input_error);
  EXPECT_EQ(files(), 1U);
}

TEST_F(atomic_file_test, is_used_up_by_commit) {
  atomic_file file(path("a"));
  file.commit();
  EXPECT_THROW(file.write("more"), error);
  EXPECT_THROW(file.commit(), error);
}

}  // namespace
}  // namespace tributary
