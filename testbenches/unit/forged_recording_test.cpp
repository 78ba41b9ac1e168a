// SPDX-License-Identifier: Apache-2.0
// Recordings that somebody has changed so that their checksums hold: each is read, or refused by an
// error that names the file and the byte.
#include <gtest/gtest.h>
#include <zlib.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tributary/sim/error.h>
#include <tributary/sim/packed_bytes.h>
#include <tributary/sim/packed_file.h>
#include <tributary/trace/recorded_run.h>
#include <tributary/trace/sink.h>

#include "machine_run.h"

namespace tributary {
namespace {

using testing::scratch_directory;
using testing::small_machine;

std::uint32_t any_size(std::uint32_t) { return ~std::uint32_t{0}; }

/// A recording's, without limits.
constexpr packed_format format{"TBEVENTS", 1, "an event recording", &any_size};

/// The bytes of a number, little-endian.
template <class Number>
std::string bytes_of(Number number) {
  byte_writer bytes;
  bytes.number(number);
  return bytes.bytes();
}

enum tag : std::uint32_t { begin = 1, kind = 2, name = 3, events = 4, end = 5 };

struct section {
  std::uint32_t tag = 0;
  std::string bytes;
};
using section_list = std::vector<section>;

section_list sections_of(const std::string& path) {
  section_list sections;
  packed_reader file(path, format);
  while (file.next()) sections.push_back({file.tag(), std::string(file.bytes())});
  return sections;
}

/// Not by a commit, which waits for the disk.
std::string write(const scratch_directory& here, const section_list& sections) {
  packed_writer packer("/dev/null", format);
  std::string file = "TBEVENTS" + bytes_of(format.version);
  for (const section& each : sections) file += packer.packed(each.tag, each.bytes);
  return here.write("forged", file);
}

/// A short run in which requests combine.
std::string record(const scratch_directory& here) {
  ultracomputer machine(small_machine(4), 3);
  event_files files;
  files.events = here.path("whole");
  event_observation recording(files, machine);
  machine.step(60);
  recording.finish(false);
  return here.path("whole");
}

/// Makes all that can be made of a recording.
void convert(const std::string& path) {
  recorded_run run(path);
  const trace_filter filter;
  const std::unique_ptr<trace_sink> sinks[] = {
      open_event_log("/dev/null", filter, run.catalog()),
      open_perfetto("/dev/null", filter, run.catalog()),
      open_vcd("/dev/null", filter, run.catalog(), run.start())};
  observer_list<trace_event> told;
  for (const std::unique_ptr<trace_sink>& each : sinks) told.attach(*each);
  const bool partial = run.tell(told).partial;
  for (const std::unique_ptr<trace_sink>& each : sinks) each->finish(partial);
}

/// What the error says; empty if there is none. Errors of other kinds pass.
std::string complaint_of(const std::string& path) {
  try {
    convert(path);
  } catch (const input_error& problem) {
    return problem.what();
  }
  return "";
}

/// A recording whose section of this kind, the first of them, is another.
std::string complaint_of_changed(tag which, const std::function<void(std::string&)>& change) {
  const scratch_directory here;
  section_list sections = sections_of(record(here));
  for (section& each : sections) {
    if (each.tag != which) continue;
    change(each.bytes);
    break;
  }
  return complaint_of(write(here, sections));
}

/// The beginning of a machine up to its groups of tracks.
byte_writer begun_beginning() {
  byte_writer head;
  for (const char* text : {"1.0", "machine", "pe"}) head.text(text);
  head.number(std::uint32_t{4});
  return head;
}
/// A group of tracks without signals, up to its parts.
void put_group(byte_writer& into, const std::string& prefix, std::uint32_t count,
               std::uint32_t parts) {
  into.flag(true);
  into.text(prefix);
  into.text("unit");
  into.number(count);
  into.number(parts);
}

TEST(forged_recording, which_nobody_forged_is_read) {
  const scratch_directory here;
  EXPECT_EQ(complaint_of(write(here, sections_of(record(here)))), "");
}

TEST(forged_recording, sizes_beyond_what_follows_take_no_room) {
  const auto contains = [](const std::string& text, const std::string& part) {
    EXPECT_NE(text.find(part), std::string::npos) << text << "\nshould say: " << part;
  };
  const std::string many = bytes_of(~std::uint32_t{0} / 64);
  // Zeros are compressed to nothing, and are lists of as many empty texts.
  const std::string zeros(std::size_t{1} << 20, '\0');
  contains(complaint_of_changed(tag::begin,
                                [&](std::string& bytes) {
                                  byte_writer head = begun_beginning();
                                  put_group(head, "", 1, ~std::uint32_t{0} / 64);
                                  bytes = head.bytes() + zeros;
                                }),
           "a list is longer than is allowed");
  contains(complaint_of_changed(tag::begin,
                                [&](std::string& bytes) {
                                  byte_writer head = begun_beginning();
                                  for (int i = 0; i < 3; ++i) {
                                    put_group(head, "", (std::uint32_t{1} << 24) - 1, 1);
                                    head.text("part");
                                    head.number(std::uint32_t{0});
                                  }
                                  bytes = head.bytes();
                                }),
           "too many tracks");
  contains(complaint_of_changed(tag::begin,
                                [&](std::string& bytes) {
                                  byte_writer head = begun_beginning();
                                  put_group(head, "." + std::string(100000, '0'), 1, 1);
                                  bytes = head.bytes();
                                }),
           "a name is too long");
  contains(
      complaint_of_changed(tag::events,
                           [&](std::string& bytes) { bytes = many + many + std::string(1, '\1'); }),
      "a list is longer than is allowed");
  contains(complaint_of_changed(tag::events, [](std::string& bytes) { bytes.resize(1 << 22); }),
           "a section is too long");
  contains(complaint_of_changed(tag::kind, [](std::string& bytes) { bytes.resize(1 << 17); }),
           "a section is too long");
}

TEST(forged_recording, of_a_size_that_is_not_there_ends_early) {
  const scratch_directory here;
  const std::string whole = "TBEVENTS" + bytes_of(std::uint32_t{1}) + bytes_of(std::uint32_t{1}) +
                            bytes_of(std::uint32_t{1} << 27) + bytes_of(std::uint32_t{1} << 27) +
                            bytes_of(std::uint32_t{0});
  EXPECT_NE(complaint_of(here.write("forged", whole)).find("the file ends early"),
            std::string::npos);
}

/// What a block of one event is refused for. `shape` and all behind it: its columns and numbers.
std::string complaint_of_block(std::uint32_t onwards, const std::string& kind_and_follow,
                               const std::string& columns) {
  return complaint_of_changed(tag::events, [&](std::string& bytes) {
    bytes = bytes_of(std::uint32_t{1}) + bytes_of(onwards) + std::string(1, '\1') +
            kind_and_follow + columns;
  });
}

TEST(forged_recording, events_that_cannot_be_are_refused) {
  const std::string track("\0\x80", 2);  // kind 0; its track as a number
  const std::string plain("\0\0", 2);
  const std::string head(4, '\0');  // shape 0, no step, no event before it
  const auto says = [](const std::string& complaint, const char* part) {
    EXPECT_NE(complaint.find(part), std::string::npos) << complaint << "\nshould say: " << part;
  };
  const std::string identity("\1", 1);
  const std::string long_number = std::string(9, '\xff') + "\2";
  says(complaint_of_block(0, plain, head + long_number), "a number is too long");
  says(complaint_of_block(0, plain, head + std::string(11, '\x80')), "a number is too long");
  says(complaint_of_block(0, track, head + identity + std::string("\x80\x80\x80\x80\x20", 5)),
       "there is no such track");
  says(complaint_of_block(0, plain, std::string("\1\0\0\0", 4) + identity), "no such shape");
  says(complaint_of_block(0, std::string("\xc8\0", 2), head + identity), "no such kind");
  says(complaint_of_block(0, plain, std::string("\0\0\1\0", 4)), "before the block");
  says(complaint_of_block(1, plain, head + std::string(1, '\0') + identity), "is of no event");
  says(complaint_of_block(0, plain, head + identity + "x"), "more than expected");
}

TEST(forged_recording, ends_that_do_not_fit_are_refused) {
  const auto says = [](const std::string& complaint, const char* part) {
    EXPECT_NE(complaint.find(part), std::string::npos) << complaint << "\nshould say: " << part;
  };
  says(complaint_of_changed(tag::end, [](std::string& bytes) { ++bytes[0]; }),
       "events are missing");
  says(complaint_of_changed(tag::end, [](std::string& bytes) { bytes[8] = 1; }),
       "later than the end");
  says(complaint_of_changed(tag::end, [](std::string& bytes) { bytes += 'x'; }),
       "more than expected");
}

TEST(forged_recording, of_a_kind_that_joins_nowhere_is_refused) {
  const scratch_directory here;
  section_list sections = sections_of(record(here));
  // Name, order and four flags of a kind stand before the flag that says that it joins.
  for (section& each : sections) {
    if (each.tag != tag::kind || each.bytes.find("replied") == std::string::npos) continue;
    each.bytes[4 + 7 + 4 + 4] = 1;
    // Behind the texts of link and asked: its first stay. It has none now.
    const std::size_t stay = each.bytes.find("service");
    ASSERT_NE(stay, std::string::npos);
    each.bytes[stay - 5] = 0;
    each.bytes.erase(stay - 4, 4 + 7);
  }
  const std::string complaint = complaint_of(write(here, sections));
  EXPECT_NE(complaint.find("who joins stays nowhere"), std::string::npos) << complaint;
}

TEST(forged_recording, of_too_many_kinds_is_refused) {
  const scratch_directory here;
  section_list sections = sections_of(record(here));
  const section first = *std::find_if(sections.begin(), sections.end(),
                                      [](const section& each) { return each.tag == tag::kind; });
  sections.insert(sections.begin() + 1, 300, first);
  const std::string complaint = complaint_of(write(here, sections));
  EXPECT_NE(complaint.find("too many kinds"), std::string::npos) << complaint;
}

/// Changes a recording at random.
class forger {
 public:
  explicit forger(std::uint64_t seed) : random_(seed) {}

  section_list forged(section_list sections) {
    for (std::size_t changes = 1 + draw(3); changes != 0; --changes) change(sections);
    return sections;
  }
  /// Changes compressed bytes or sizes, and corrects the checksum.
  std::string forged(std::string file, std::size_t first_section) {
    constexpr std::size_t heading = 16;
    std::vector<std::size_t> places;
    for (std::size_t at = first_section; at + heading <= file.size();) {
      places.push_back(at);
      at += heading + number_at(file, at + 4);
    }
    const std::size_t at = places[draw(places.size())];
    const std::size_t size = number_at(file, at + 4);
    const std::size_t place = draw(12 + size);
    char& changed = file[at + (place < 12 ? place : place + 4)];
    changed = static_cast<char>(changed ^ (1 << draw(8)));
    const auto sum = [&](uLong before, std::size_t from, std::size_t count) {
      return ::crc32_z(before, reinterpret_cast<const Bytef*>(file.data()) + from, count);
    };
    const auto checksum = static_cast<std::uint32_t>(sum(sum(0, at, 12), at + heading, size));
    file.replace(at + 12, 4, bytes_of(checksum));
    return file;
  }

 private:
  std::size_t draw(std::size_t bound) { return random_() % bound; }

  static std::uint32_t number_at(const std::string& file, std::size_t at) {
    return byte_reader(std::string_view(file).substr(at), "").number<std::uint32_t>();
  }

  void change(section_list& sections) {
    const std::size_t at = draw(sections.size());
    const auto place = sections.begin() + static_cast<std::ptrdiff_t>(at);
    switch (draw(12)) {
      case 0:
        sections.insert(place, *place);
        break;
      case 1:
        if (sections.size() > 1) sections.erase(place);
        break;
      case 2:
        std::swap(*place, sections[draw(sections.size())]);
        break;
      case 3:
        place->tag = static_cast<std::uint32_t>(draw(7));
        break;
      case 4:
        place->bytes.resize(draw(place->bytes.size() + 9));
        break;
      case 5:
        place->bytes.insert(draw(place->bytes.size() + 1), std::string(1 + draw(4), '\xff'));
        break;
      default:
        change_byte(place->bytes);
    }
  }

  void change_byte(std::string& bytes) {
    if (bytes.empty()) return;
    char& changed = bytes[draw(bytes.size())];
    const char others[] = {'\0',
                           '\xff',
                           '\x7f',
                           static_cast<char>(changed + 1),
                           static_cast<char>(changed - 1),
                           static_cast<char>(random_()),
                           static_cast<char>(changed ^ (1 << draw(8)))};
    changed = others[draw(std::size(others))];
  }

  std::mt19937_64 random_;
};

/// How many of them are to be tried: a few here, as the sanitizers look at each.
constexpr std::uint64_t forgeries = 300;

TEST(forged_recording, of_any_kind_is_read_or_refused_by_name) {
  const scratch_directory here;
  const section_list whole = sections_of(record(here));
  std::size_t refused = 0;
  for (std::uint64_t seed = 0; seed < forgeries; ++seed) {
    SCOPED_TRACE(seed);
    const std::string complaint = complaint_of(write(here, forger(seed).forged(whole)));
    if (complaint.empty()) continue;
    ++refused;
    EXPECT_EQ(complaint.find(here.path("forged")), 0U) << complaint;
  }
  EXPECT_GT(refused, forgeries / 4);
  EXPECT_LT(refused, forgeries);
}

TEST(forged_recording, whose_compressed_bytes_are_others_is_read_or_refused_by_name) {
  const scratch_directory here;
  record(here);
  const std::string whole = here.read("whole");
  for (std::uint64_t seed = 0; seed < forgeries; ++seed) {
    SCOPED_TRACE(seed);
    const std::string complaint =
        complaint_of(here.write("forged", forger(seed).forged(whole, 12)));
    if (!complaint.empty()) {
      EXPECT_EQ(complaint.find(here.path("forged")), 0U) << complaint;
    }
  }
}

}  // namespace
}  // namespace tributary
