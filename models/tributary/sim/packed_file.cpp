// SPDX-License-Identifier: Apache-2.0
#include <tributary/sim/packed_file.h>

#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <utility>

#include <tributary/sim/atomic_file.h>
#include <tributary/sim/error.h>
#include <tributary/sim/packed_bytes.h>

namespace tributary {
namespace {

/// zstd's faster levels are negative. Level 1 makes recordings a third smaller in twice the time,
/// and then holds up a machine of 64 elements.
constexpr int zstd_level = -20;

constexpr std::size_t heading_bytes = 16;  // of a section: tag, both sizes, checksum

std::uint32_t checksum_of(std::string_view heading, std::string_view packed) {
  const auto add = [](uLong sum, std::string_view bytes) {
    return ::crc32_z(sum, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size());
  };
  return static_cast<std::uint32_t>(add(add(0, heading), packed));
}

}  // namespace

struct packed_writer::implementation {
  implementation(const std::string& path, const packed_format& format_)
      : format(format_), file(path), context(::ZSTD_createCCtx(), &::ZSTD_freeCCtx) {
    if (!context) throw error("zstd could not be started; is there memory left?");
  }

  /// Heading and content of a section; the content stays until the next.
  std::pair<std::string, std::string_view> pack(std::uint32_t tag, std::string_view bytes) {
    if (bytes.size() > format.most(tag)) {
      throw error(std::string(format.what) + ": a section of " + std::to_string(bytes.size()) +
                  " bytes is too long, at most " + std::to_string(format.most(tag)) +
                  " are allowed; record a smaller machine");
    }
    packed.resize(::ZSTD_compressBound(bytes.size()));
    const std::size_t size = ::ZSTD_compressCCtx(context.get(), packed.data(), packed.size(),
                                                 bytes.data(), bytes.size(), zstd_level);
    if (::ZSTD_isError(size) != 0) throw error(std::string("zstd: ") + ::ZSTD_getErrorName(size));
    const std::string_view content(packed.data(), size);
    byte_writer heading;
    heading.number(tag);
    heading.number(static_cast<std::uint32_t>(size));
    heading.number(static_cast<std::uint32_t>(bytes.size()));
    heading.number(checksum_of(heading.bytes(), content));
    return {heading.bytes(), content};
  }

  packed_format format;
  atomic_file file;
  std::unique_ptr<ZSTD_CCtx, std::size_t (*)(ZSTD_CCtx*)> context;
  std::string packed;
};

packed_writer::packed_writer(const std::string& path, const packed_format& format)
    : implementation_(std::make_unique<implementation>(path, format)) {
  byte_writer begin;
  begin.number(format.version);
  implementation_->file.write(format.magic);
  implementation_->file.write(begin.bytes());
}

packed_writer::~packed_writer() = default;

void packed_writer::section(std::uint32_t tag, std::string_view bytes) {
  const auto [heading, content] = implementation_->pack(tag, bytes);
  write(heading);
  write(content);
}

std::string packed_writer::packed(std::uint32_t tag, std::string_view bytes) {
  auto [heading, content] = implementation_->pack(tag, bytes);
  return heading.append(content);
}

void packed_writer::write(std::string_view packed) { implementation_->file.write(packed); }

void packed_writer::commit() { implementation_->file.commit(); }

struct packed_reader::implementation {
  implementation(std::string path_, const packed_format& format_)
      : path(std::move(path_)), format(format_), file(std::fopen(path.c_str(), "rb"), &close) {
    if (!file) {
      throw file_error(path, "cannot read", errno, "give the name of a file that you may read");
    }
  }

  static void close(std::FILE* file) { static_cast<void>(std::fclose(file)); }

  /// Fewer than asked for only at the end of the file. Room is made as bytes come, so that a size
  /// that is not true takes none.
  std::string read(std::size_t size) {
    constexpr std::size_t most_at_once = std::size_t{1} << 20;
    std::string taken;
    while (taken.size() < size) {
      const std::size_t before = taken.size();
      const std::size_t asked = std::min(size - before, most_at_once);
      taken.resize(before + asked);
      errno = 0;
      const std::size_t got = std::fread(taken.data() + before, 1, asked, file.get());
      taken.resize(before + got);
      if (got == asked) continue;
      if (std::ferror(file.get()) == 0) break;
      throw file_error(path, "cannot read", errno, "give the name of a file that you may read");
    }
    at += taken.size();
    return taken;
  }

  std::string place() const { return path + ": byte " + std::to_string(begin); }

  [[noreturn]] void refuse(const char* problem) const {
    throw input_error(place() + ": " + problem + "; copy or write the file again");
  }

  std::string path;
  packed_format format;
  std::unique_ptr<std::FILE, void (*)(std::FILE*)> file;
  std::uint64_t at = 0;
  std::uint64_t begin = 0;  // of the last section
  std::uint32_t tag = 0;
  std::string bytes;
};

packed_reader::packed_reader(std::string path, const packed_format& format)
    : implementation_(std::make_unique<implementation>(std::move(path), format)) {
  implementation& its = *implementation_;
  if (its.read(format.magic.size()) != format.magic) {
    throw input_error(its.path + " is not " + format.what + ", which begins with " +
                      std::string(format.magic));
  }
  const std::string version = its.read(sizeof format.version);
  const auto found = byte_reader(version, its.path).number<std::uint32_t>();
  if (found == format.version) return;
  throw input_error(its.path + ": this is version " + std::to_string(found) + " of " + format.what +
                    ", and this program reads version " + std::to_string(format.version) +
                    "; use the program that wrote it, or write it again");
}

packed_reader::~packed_reader() = default;

bool packed_reader::next() {
  implementation& its = *implementation_;
  its.begin = its.at;
  const std::string heading = its.read(heading_bytes);
  if (heading.empty()) return false;
  if (heading.size() < heading_bytes) its.refuse("the file ends early");
  byte_reader from(heading, its.place());
  its.tag = from.number<std::uint32_t>();
  const auto size = from.number<std::uint32_t>();
  const auto plain = from.number<std::uint32_t>();
  if (plain > its.format.most(its.tag) || size > ::ZSTD_compressBound(plain)) {
    its.refuse("the file is damaged, as a section is too long");
  }
  const std::string packed = its.read(size);
  if (packed.size() < size) its.refuse("the file ends early");
  constexpr std::size_t summed = heading_bytes - sizeof(std::uint32_t);
  if (from.number<std::uint32_t>() != checksum_of(heading.substr(0, summed), packed)) {
    its.refuse("the file is damaged, as its checksum is another");
  }
  its.bytes.resize(plain);
  const std::size_t got =
      ::ZSTD_decompress(its.bytes.data(), its.bytes.size(), packed.data(), packed.size());
  if (got != plain) its.refuse("the file is damaged, as a section cannot be unpacked");
  return true;
}

std::uint32_t packed_reader::tag() const { return implementation_->tag; }
std::string_view packed_reader::bytes() const { return implementation_->bytes; }
std::string packed_reader::place() const { return implementation_->place(); }

}  // namespace tributary
