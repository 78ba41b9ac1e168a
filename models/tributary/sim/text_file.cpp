// SPDX-License-Identifier: Apache-2.0
#include <tributary/sim/text_file.h>

#include <zlib.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <utility>

#include <tributary/sim/atomic_file.h>
#include <tributary/sim/error.h>

namespace tributary {
namespace {

constexpr std::size_t chunk_bytes = std::size_t{1} << 16;
constexpr int gzip_window = MAX_WBITS + 16;  // zlib's way to ask for a gzip header, without a time
constexpr int default_memory_level = 8;
// Files of events are compressed while a machine runs: the fastest level takes a quarter of the
// time of the usual one, for a third more bytes.
constexpr int gzip_level = Z_BEST_SPEED;

bool names_gzip(const std::string& path) {
  constexpr std::string_view suffix = ".gz";
  return path.size() >= suffix.size() &&
         path.compare(path.size() - suffix.size(), suffix.size(), suffix) == 0;
}

/// Compresses into a file.
class compressor {
 public:
  explicit compressor(atomic_file& file) : file_(&file) {
    if (::deflateInit2(&stream_, gzip_level, Z_DEFLATED, gzip_window, default_memory_level,
                       Z_DEFAULT_STRATEGY) != Z_OK) {
      throw error("gzip could not be started; is there memory left?");
    }
  }
  ~compressor() { ::deflateEnd(&stream_); }
  compressor(const compressor&) = delete;
  compressor& operator=(const compressor&) = delete;

  void write(std::string_view text) { run(text, Z_NO_FLUSH); }
  void end() { run({}, Z_FINISH); }

 private:
  void run(std::string_view text, int flush) {
    // zlib only reads what next_in points to.
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
    stream_.avail_in = static_cast<uInt>(text.size());
    do {
      stream_.next_out = reinterpret_cast<Bytef*>(room_.data());
      stream_.avail_out = static_cast<uInt>(room_.size());
      ::deflate(&stream_, flush);
      file_->write({room_.data(), room_.size() - stream_.avail_out});
    } while (stream_.avail_out == 0);
  }

  atomic_file* file_;
  z_stream stream_{};
  std::array<char, chunk_bytes> room_{};
};

}  // namespace

struct text_writer::implementation {
  explicit implementation(const std::string& path)
      : file(path), gzip(names_gzip(path) ? std::make_unique<compressor>(file) : nullptr) {}

  void flush() {
    if (gzip) {
      gzip->write(pending);
    } else {
      file.write(pending);
    }
    pending.clear();
  }

  atomic_file file;
  std::unique_ptr<compressor> gzip;
  std::string pending;
};

text_writer::text_writer(const std::string& path)
    : implementation_(std::make_unique<implementation>(path)) {}

text_writer::~text_writer() = default;

void text_writer::write(std::string_view text) {
  implementation_->pending.append(text);
  if (implementation_->pending.size() >= chunk_bytes) implementation_->flush();
}

void text_writer::commit() {
  implementation_->flush();
  if (implementation_->gzip) implementation_->gzip->end();
  implementation_->file.commit();
}

struct text_reader::implementation {
  explicit implementation(std::string name)
      : path(std::move(name)), file(::gzopen(path.c_str(), "rbe")) {
    if (file == nullptr) {
      throw file_error(path, "cannot read", errno, "give the name of a file that exists");
    }
  }
  ~implementation() { ::gzclose_r(file); }
  implementation(const implementation&) = delete;
  implementation& operator=(const implementation&) = delete;

  /// Whether there are characters to take, read anew if need be.
  bool refill() {
    if (begin < end) return true;
    errno = 0;
    const int got = ::gzread(file, chunk.data(), static_cast<unsigned>(chunk.size()));
    const int reason = errno;
    int problem = Z_OK;
    const char* const explanation = ::gzerror(file, &problem);
    if (problem == Z_ERRNO) {
      throw file_error(path, "cannot read", reason, "give the name of a file that you may read");
    }
    // Z_BUF_ERROR comes with what was read before the compressed data ended early.
    if (got < 0 || (got == 0 && problem != Z_OK)) {
      throw input_error(path + ": after line " + std::to_string(lines) +
                        (problem == Z_BUF_ERROR
                             ? ": the compressed data ends early"
                             : ": the compressed data is damaged: " + std::string(explanation)) +
                        "; copy or write the file again");
    }
    begin = 0;
    end = static_cast<std::size_t>(got);
    return end != 0;
  }

  std::string path;
  gzFile file;
  std::array<char, chunk_bytes> chunk{};
  std::size_t begin = 0;
  std::size_t end = 0;
  std::uint64_t lines = 0;
};

text_reader::text_reader(std::string path)
    : implementation_(std::make_unique<implementation>(std::move(path))) {}

text_reader::~text_reader() = default;

bool text_reader::next_line(std::string& line) {
  implementation& from = *implementation_;
  line.clear();
  if (!from.refill()) return false;
  ++from.lines;
  bool ended = false;
  while (!ended && from.refill()) {
    const char* const first = from.chunk.data() + from.begin;
    const std::size_t left = from.end - from.begin;
    const void* const newline = std::memchr(first, '\n', left);
    ended = newline != nullptr;
    const std::size_t taken =
        ended ? static_cast<std::size_t>(static_cast<const char*>(newline) - first) : left;
    line.append(first, taken);
    from.begin += taken + (ended ? 1 : 0);
    if (line.size() > longest_line) {
      throw input_error(place() + ": the line has more than " + std::to_string(longest_line) +
                        " characters; is this a text file?");
    }
  }
  if (!line.empty() && line.back() == '\r') line.pop_back();
  return true;
}

std::uint64_t text_reader::line_number() const { return implementation_->lines; }

std::string text_reader::place() const {
  return implementation_->path + ":" + std::to_string(implementation_->lines);
}

// --- whole files ---------------------------------------------------------------------------------

std::string read_whole_file(const std::string& path) {
  const char* const advice = "check the path and that you may read it";
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"),
                                                             &std::fclose);
  if (!file) {
    throw file_error(path, "cannot open", errno, advice);
  }
  std::string text;
  char block[1U << 16U];
  std::size_t got = 0;
  while ((got = std::fread(block, 1, sizeof block, file.get())) > 0) {
    text.append(block, got);
  }
  if (std::ferror(file.get()) != 0) {
    throw file_error(path, "cannot read", errno, advice);
  }
  return text;
}

}  // namespace tributary
