// SPDX-License-Identifier: Apache-2.0
#include "program_fixture.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include <fcntl.h>
#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace tributary {
namespace {

namespace fs = std::filesystem;

/// In the child: takes from root, for all it executes, the right to ignore permissions. Root it
/// stays, so that it may execute a program in a folder that is closed to others.
void drop_override_of_permissions() {
  if (::geteuid() != 0) return;
  for (const int capability : {CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH}) {
    if (::prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) != 0) std::_Exit(125);
  }
}

/// In the child: becomes the program with its output in files.
[[noreturn]] void become_program(const std::vector<std::string>& arguments, const fs::path& folder,
                                 const started_program& files) {
  const int out = ::open(files.out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  const int err = ::open(files.err.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (out < 0 || err < 0 || ::dup2(out, 1) < 0 || ::dup2(err, 2) < 0) std::_Exit(126);
  if (::chdir(folder.c_str()) != 0) std::_Exit(126);
  std::string program = TRIBUTARY_PROGRAM;
  std::vector<std::string> copies = arguments;
  std::vector<char*> pointers{program.data()};
  for (std::string& each : copies) pointers.push_back(each.data());
  pointers.push_back(nullptr);
  ::execv(TRIBUTARY_PROGRAM, pointers.data());
  std::_Exit(127);
}

}  // namespace

std::string read_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

void program_fixture::SetUp() {
  std::string name = (fs::path(testing::TempDir()) / "tributary_cli_XXXXXX").string();
  ASSERT_NE(::mkdtemp(name.data()), nullptr);
  folder_ = name;
  fs::create_directory(folder_ / "work");
}

void program_fixture::TearDown() { fs::remove_all(folder_); }

started_program program_fixture::start(const std::vector<std::string>& arguments) {
  ++started_;
  started_program started;
  started.out = folder_ / ("out" + std::to_string(started_));
  started.err = folder_ / ("err" + std::to_string(started_));
  started.process = ::fork();
  if (started.process == 0 && obeys_permissions_) drop_override_of_permissions();
  if (started.process == 0) become_program(arguments, folder_ / "work", started);
  return started;
}

program_outcome program_fixture::finish(const started_program& started) {
  int state = 0;
  if (::waitpid(started.process, &state, 0) != started.process) return {};
  program_outcome outcome;
  outcome.status = WIFEXITED(state) ? WEXITSTATUS(state) : 128 + WTERMSIG(state);
  outcome.out = read_file(started.out);
  outcome.err = read_file(started.err);
  return outcome;
}

void program_fixture::expect_complaint(const std::vector<std::string>& arguments, int status,
                                       const std::vector<std::string>& parts) {
  const program_outcome outcome = run(arguments);
  EXPECT_EQ(outcome.status, status) << outcome.err;
  EXPECT_EQ(outcome.err.rfind("tributary: ", 0), 0U) << outcome.err;
  EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
  for (const std::string& part : parts) {
    EXPECT_NE(outcome.err.find(part), std::string::npos)
        << "no '" << part << "' in: " << outcome.err;
  }
}

std::string program_fixture::write(const std::string& name, const std::string& text) const {
  std::ofstream(folder_ / "work" / name, std::ios::binary) << text;
  return name;
}

std::string program_fixture::read(const std::string& name) const {
  return read_file(folder_ / "work" / name);
}

bool program_fixture::exists(const std::string& name) const {
  return fs::exists(folder_ / "work" / name);
}

std::vector<std::string> program_fixture::names_in(const std::string& name) const {
  std::vector<std::string> names;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder_ / "work" / name)) {
    names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace tributary
