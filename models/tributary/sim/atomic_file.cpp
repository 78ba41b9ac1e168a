// SPDX-License-Identifier: Apache-2.0
#include <tributary/sim/atomic_file.h>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <system_error>
#include <utility>

#include <tributary/sim/error.h>

namespace tributary {

namespace {

constexpr std::size_t buffer_size = std::size_t{1} << 16U;

// Between the name and the number of the program that writes.
constexpr const char* partial = ".partial-";

// A name is taken by another file being written.
constexpr int attempts_at_a_name = 1000;

const char* advice_for(int error_number) {
  switch (error_number) {
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
      return "free some space or choose another directory";
    case ENOENT:
    case ENOTDIR:
      return "create the directory first or choose another one";
    case EACCES:
    case EPERM:
    case EROFS:
      return "choose a file and directory that you may write to";
    case EISDIR:
      return "give the name of a file, not of a directory";
    default:
      return "choose another file or directory";
  }
}

// Where a name leads if it exists, so that renaming replaces the file and not a link to it.
std::string resolved(const std::string& path) {
  const std::unique_ptr<char, decltype(&std::free)> real(::realpath(path.c_str(), nullptr),
                                                         &std::free);
  return real ? std::string(real.get()) : path;
}

std::string directory_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, slash + 1);
}

// Whoever writes a temporary file holds its lock, which ends with the program, killed or not. Where
// the file system has no locks none is got, and nothing is removed.
bool lock(int descriptor) noexcept { return ::flock(descriptor, LOCK_EX | LOCK_NB) == 0; }

// False if somebody took the new file for an abandoned one before it was locked.
bool is_linked(int descriptor) noexcept {
  struct stat status {};
  return ::fstat(descriptor, &status) == 0 && status.st_nlink > 0;
}

// "PROCESS-NUMBER", as behind the name of a temporary file; anything else is a file of the user's.
bool is_process_and_number(const std::string& text) {
  const auto is_number = [](const std::string& part) {
    return !part.empty() && part.find_first_not_of("0123456789") == std::string::npos;
  };
  const std::size_t dash = text.find('-');
  return dash != std::string::npos && is_number(text.substr(0, dash)) &&
         is_number(text.substr(dash + 1));
}

// Removes what killed programs left: files whose path begins so and that nobody writes.
void remove_abandoned(const std::string& beginning) {
  const std::string prefix = std::filesystem::path(beginning).filename().string();
  const std::filesystem::directory_iterator end;
  std::error_code unreadable;
  std::filesystem::directory_iterator entry(directory_of(beginning), unreadable);
  // A folder that cannot be read to its end is no reason not to write: the rest stays.
  for (; !unreadable && entry != end; entry.increment(unreadable)) {
    const std::string path = entry->path().string();
    const std::string name = entry->path().filename().string();
    if (name.rfind(prefix, 0) != 0) continue;
    if (!is_process_and_number(name.substr(prefix.size()))) continue;
    const int descriptor = ::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    if (descriptor < 0) continue;
    if (lock(descriptor)) ::unlink(path.c_str());
    ::close(descriptor);
  }
}

// Makes a rename last through a crash; where directories cannot be synchronised nothing is lost.
void synchronise_directory(const std::string& directory) noexcept {
  const int descriptor = ::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor >= 0) {
    ::fsync(descriptor);
    ::close(descriptor);
  }
}

}  // namespace

atomic_file::atomic_file(std::string path) : path_(std::move(path)), target_(resolved(path_)) {
  struct stat status {};
  const bool exists = ::stat(target_.c_str(), &status) == 0;
  if (exists && S_ISDIR(status.st_mode)) {
    fail("cannot write", EISDIR);
  }
  if (exists && !S_ISREG(status.st_mode)) {
    descriptor_ = ::open(target_.c_str(), O_WRONLY | O_CLOEXEC);
  } else if (exists && ::access(target_.c_str(), W_OK) != 0) {
    fail("cannot write", errno);
  } else {
    open_temporary();
  }
  if (descriptor_ < 0) {
    const int reason = errno;
    temporary_.clear();
    fail("cannot write", reason);
  }
}

atomic_file::~atomic_file() { discard(); }

void atomic_file::open_temporary() {
  constexpr mode_t permissions = 0666;
  remove_abandoned(target_ + partial);
  for (int attempt = 0; attempt < attempts_at_a_name; ++attempt) {
    temporary_ = target_ + partial + std::to_string(::getpid()) + "-" + std::to_string(attempt);
    descriptor_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, permissions);
    if (descriptor_ >= 0) {
      if ((lock(descriptor_) || errno != EWOULDBLOCK) && is_linked(descriptor_)) break;
      ::close(std::exchange(descriptor_, -1));
      errno = EEXIST;
    } else if (errno != EEXIST) {
      break;
    }
  }
}

void atomic_file::write(std::string_view text) {
  if (descriptor_ < 0) {
    throw error(path_ + ": written to after commit; write everything first");
  }
  buffer_.append(text);
  if (buffer_.size() >= buffer_size) {
    flush();
  }
}

void atomic_file::commit() {
  if (descriptor_ < 0) {
    throw error(path_ + ": committed twice; commit once, after everything is written");
  }
  flush();
  // Devices and pipes have nothing to synchronise and say so with EINVAL.
  if (::fsync(descriptor_) != 0 && errno != EINVAL && errno != EROFS) {
    fail("cannot write to the end", errno);
  }
  // Before the lock goes with the descriptor: a file without one looks abandoned.
  const bool renames = !temporary_.empty();
  if (renames && std::rename(temporary_.c_str(), target_.c_str()) != 0) {
    fail("cannot give the finished file its name", errno);
  }
  temporary_.clear();
  if (::close(std::exchange(descriptor_, -1)) != 0) {
    fail("cannot write to the end", errno);
  }
  if (renames) synchronise_directory(directory_of(target_));
}

void atomic_file::flush() {
  std::size_t done = 0;
  while (done < buffer_.size()) {
    const ssize_t written = ::write(descriptor_, buffer_.data() + done, buffer_.size() - done);
    if (written >= 0) {
      done += static_cast<std::size_t>(written);
    } else if (errno != EINTR) {
      fail("cannot write to the end", errno);
    }
  }
  buffer_.clear();
}

void atomic_file::fail(const char* action, int error_number) {
  discard();
  throw file_error(path_, action, error_number, advice_for(error_number));
}

void atomic_file::discard() noexcept {
  if (descriptor_ >= 0) {
    ::close(std::exchange(descriptor_, -1));
  }
  if (!temporary_.empty()) {
    ::unlink(temporary_.c_str());
    temporary_.clear();
  }
}

void write_file_atomically(const std::string& path, std::string_view text) {
  atomic_file file(path);
  file.write(text);
  file.commit();
}

}  // namespace tributary
