// SPDX-License-Identifier: Apache-2.0
#include <tributary/trace/recorded_run.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <tributary/sim/error.h>
#include <tributary/sim/packed_bytes.h>
#include <tributary/sim/packed_file.h>
#include <tributary/trace/recording_format.h>
#include <tributary/trace/recording_tables.h>

namespace tributary {
namespace {

using recording::follows;

/// Numbers whose bytes are in columns, one behind the other.
class column_reader {
 public:
  column_reader(byte_reader& from, std::size_t entries, std::size_t bytes) {
    for (std::size_t i = 0; i < bytes; ++i) columns_[i] = from.take(entries);
  }
  std::uint32_t operator[](std::size_t at) const {
    std::uint32_t number = 0;
    for (std::size_t i = 0; i < columns_.size() && !columns_[i].empty(); ++i) {
      number |= std::uint32_t{static_cast<unsigned char>(columns_[i][at])} << (8 * i);
    }
    return number;
  }

 private:
  std::array<std::string_view, 4> columns_{};
};

/// Where the identity of an event goes, and the number of what it is about.
struct told_about {
  track_id onward{};
  std::optional<std::uint64_t> subject;
};

/// The events of one block.
class block_reader {
 public:
  block_reader(byte_reader from, const recording::kind_table& kinds, std::size_t tracks)
      : block_reader(from, kinds, tracks, block_size(from)) {}

  /// Calls `visit(event, told_about)` for each.
  template <class Visit>
  void for_each(Visit&& visit) {
    for (std::size_t i = 0; i < events_.size(); ++i) {
      told_about about;
      read(i, about);
      visit(events_[i], about);
    }
    if (next_onward_ != onwards_) from_.refuse("a track is of no event");
    from_.end();
  }

 private:
  struct block_size {
    explicit block_size(byte_reader& from)
        : events(from.count(recording::block_events, least_bytes)),
          onwards(from.count(recording::block_events, 1)) {}
    static constexpr std::size_t least_bytes = 4;  // of an event, in columns
    std::size_t events;
    std::size_t onwards;
  };

  static std::vector<recording::shape> take_shapes(byte_reader& from) {
    std::vector<recording::shape> shapes(from.number<std::uint8_t>());
    for (recording::shape& each : shapes) {
      each.kind = from.number<std::uint8_t>();
      each.follow = from.number<std::uint8_t>();
    }
    return shapes;
  }

  // Members are read in this order.
  block_reader(byte_reader& from, const recording::kind_table& kinds, std::size_t tracks,
               const block_size& size)
      : kinds_(kinds),
        tracks_(tracks),
        shapes_(take_shapes(from)),
        shape_(from, size.events, 1),
        step_(from, size.events, 1),
        back_(from, size.events, 2),
        onward_(from, size.onwards, recording::track_bytes(tracks)),
        onwards_(size.onwards),
        from_(from),
        events_(size.events) {}

  void read(std::size_t at, told_about& about) {
    if (shape_[at] >= shapes_.size()) from_.refuse("there is no such shape of events");
    const recording::shape shape = shapes_[shape_[at]];
    const std::uint32_t follow = shape.follow;
    trace_event event = before(at);
    if (shape.kind >= kinds_.size()) from_.refuse("there is no such kind of events");
    event.kind = &kinds_[shape.kind];
    event.track = track_of(at, (follow & follows::track) != 0);
    const auto take = [&](follows which, std::uint64_t otherwise) {
      return (follow & which) != 0 ? number() : otherwise;
    };
    event.address = take(follows::address, event.address);
    event.value = take(follows::value, event.value);
    event.details = take(follows::details, event.details);
    event.parent = trace_identity::of_bits(take(follows::parent, 0));
    event.cycle =
        (at == 0 ? 0 : events_[at - 1].cycle) + recording::unfolded(take(follows::cycle, 0));
    event.last = event.cycle + recording::unfolded(take(follows::last, 0));
    if ((follow & follows::subject) != 0) about.subject = number();
    if (recording::goes_onward(*event.kind)) {
      if (next_onward_ == onwards_) from_.refuse("a track is missing");
      about.onward = onward_of(event.track);
    }
    events_[at] = event;
  }

  track_id track_of(std::size_t at, bool is_far) {
    const std::uint32_t last = at == 0 ? 0 : static_cast<std::uint32_t>(events_[at - 1].track);
    return track_at(std::uint64_t{last} + (is_far ? recording::unfolded(number()) : step_[at]));
  }

  /// The event of the same identity that it refers to, or the identity alone.
  trace_event before(std::size_t at) {
    const std::uint32_t distance = back_[at];
    if (distance > at) from_.refuse("an event refers to one before the block");
    if (distance != 0) return events_[at - distance];
    trace_event event;
    event.identity = trace_identity::of_bits(number());
    return event;
  }

  track_id onward_of(track_id from) {
    const std::size_t bits = 8 * recording::track_bytes(tracks_);
    const std::uint64_t track =
        std::uint64_t{static_cast<std::uint32_t>(from)} + onward_[next_onward_++];
    return track_at(track & ((std::uint64_t{1} << bits) - 1));
  }

  track_id track_at(std::uint64_t track) const {
    if (track >= tracks_) from_.refuse("there is no such track");
    return static_cast<track_id>(track);
  }

  std::uint64_t number() {
    std::uint64_t number = 0;
    for (unsigned shift = 0;; shift += 7) {
      const auto byte = from_.number<std::uint8_t>();
      // The tenth byte has the last bit of the number.
      if (shift == 63 && byte > 1) from_.refuse("a number is too long");
      number |= std::uint64_t{byte & 0x7fU} << shift;
      if (byte < 0x80) return number;
    }
  }

  const recording::kind_table& kinds_;
  std::size_t tracks_;
  std::vector<recording::shape> shapes_;
  column_reader shape_;
  column_reader step_;
  column_reader back_;
  column_reader onward_;
  std::size_t onwards_;
  std::size_t next_onward_ = 0;
  byte_reader from_;
  std::vector<trace_event> events_;
};

trace_catalog no_catalog() { return {"", ""}; }

}  // namespace

struct recorded_run::implementation {
  explicit implementation(const std::string& path) : file(path, recording::format) {
    if (!file.next() || file.tag() != recording::section::begin) {
      throw input_error(path + ": the file has no beginning; write it again");
    }
    byte_reader from(file.bytes(), file.place());
    version = from.text();
    catalog = recording::take_catalog(from);
    start = recording::take_start(from, catalog.tracks());
    filter = recording::take_filter(from);
    from.end();
    catalog.onward = [this](const trace_event&) { return about.onward; };
    catalog.subject = [this](const trace_event&) { return about.subject; };
  }

  recorded_run::end tell(const observer_list<trace_event>& observers) {
    std::uint64_t events = 0;
    while (file.next()) {
      byte_reader from(file.bytes(), file.place());
      switch (file.tag()) {
        case recording::section::kind:
          kinds.take(from);
          from.end();
          break;
        case recording::section::name:
          take_name(from);
          break;
        case recording::section::events:
          events += tell_block(from, observers);
          break;
        case recording::section::end:
          return take_end(from, events);
        default:
          from.refuse("a section is of no kind that is known");
      }
    }
    throw input_error(file.place() + ": the file ends early; copy or write the file again");
  }

  void take_name(byte_reader& from) {
    std::string detail = recording::take_word(from);
    catalog.add(trace_catalog::added_name{std::move(detail), recording::take_word(from)});
    from.end();
  }

  std::uint64_t tell_block(byte_reader& from, const observer_list<trace_event>& observers) {
    std::uint64_t events = 0;
    block_reader(from, kinds, catalog.tracks())
        .for_each([&](const trace_event& event, const told_about& its) {
          about = its;
          ++events;
          last = std::max(last, event.cycle);
          observers.notify(event);
        });
    return events;
  }

  recorded_run::end take_end(byte_reader& from, std::uint64_t events) {
    recorded_run::end end;
    end.events = from.number<std::uint64_t>();
    end.last = from.number<cycle_t>();
    end.partial = from.flag();
    from.end();
    if (end.events != events) from.refuse("events are missing");
    if (end.last < last) from.refuse("events are later than the end");
    if (file.next()) from.refuse("something follows the end");
    return end;
  }

  packed_reader file;
  std::string version;
  trace_catalog catalog = no_catalog();
  trace_start start;
  trace_filter_options filter;
  recording::kind_table kinds;
  told_about about;
  cycle_t last = 0;  // of the events that were told
};

recorded_run::recorded_run(const std::string& path)
    : implementation_(std::make_unique<implementation>(path)) {}

recorded_run::~recorded_run() = default;

const std::string& recorded_run::version() const { return implementation_->version; }
const trace_catalog& recorded_run::catalog() const { return implementation_->catalog; }
const trace_start& recorded_run::start() const { return implementation_->start; }
const trace_filter_options& recorded_run::filter() const { return implementation_->filter; }

recorded_run::end recorded_run::tell(const observer_list<trace_event>& observers) {
  return implementation_->tell(observers);
}

}  // namespace tributary
