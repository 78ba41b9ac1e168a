// SPDX-License-Identifier: Apache-2.0
// Trace for Perfetto and Chrome's viewer (docs/formats/event-log.md).
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include <ultracomputer/machine.h>

#include <sinks/perfetto_file.h>
#include "event_sink.h"

namespace tributary {
namespace {

/// What a row of a port shows; each kind has as many rows as slices overlap.
enum class row_kind : std::uint8_t {
  request,      ///< an element's request, accepted to delivered
  waiting,      ///< in a combining queue
  wait_buffer,  ///< answered when the request that it joined is
  service,      ///< in a memory module, served to replied
  response,     ///< of the request that was joined, as it brings the other's
  decombined,   ///< the other's response
  program       ///< an interval of an element's program
};

constexpr std::uint32_t rows_a_kind = 100000;

const char* name_of(row_kind kind) {
  constexpr const char* names[] = {"request",  "waiting",    "wait buffer", "service",
                                   "response", "decombined", "program"};
  return names[static_cast<std::size_t>(kind)];
}

/// A row of a track: a track is a port, its number a process to the viewer, the row a thread.
struct row {
  std::uint32_t track = 0;
  row_kind kind = row_kind::request;
  std::uint32_t lane = 0;

  std::uint32_t thread() const { return static_cast<std::uint32_t>(kind) * rows_a_kind + lane; }
};

struct slice {
  row where;
  network_event begin;
  request_id id;
  bool shown = false;
};

/// An interval of a program that has begun.
struct span {
  row where;
  cycle_t begin = 0;
  bool shown = false;
};

/// The events of the trace.
class trace_events {
 public:
  explicit trace_events(const std::string& path) : file_(path) {}

  void name_track(std::uint32_t track, const std::string& name) { file_.name_track(track, name); }
  void name_row(const row& where) {
    file_.name_row(where.track, where.thread(),
                   fmt::format("{} {}", name_of(where.kind), where.lane + 1));
  }
  void add_slice(const row& where, const request_id& id, const network_event& begin, cycle_t end,
                 bool open) {
    file_.add_slice(where.track, where.thread(), fmt::format("{}.{}", id.pe, id.sequence),
                    name_of(where.kind), begin.cycle, end,
                    fmt::format(R"("form":"{}","address":"{:#x}","value":"{:#x}"{})",
                                tributary::name_of(begin.function), begin.address, begin.value,
                                open ? R"(,"open":true)" : ""));
  }
  void add_span(const row& where, const std::string& name, cycle_t begin, cycle_t end, bool open) {
    file_.add_slice(where.track, where.thread(), name, name_of(where.kind), begin, end,
                    open ? R"("open":true)" : "");
  }
  void add_arrow(const char* name, const row& from, const row& to, cycle_t cycle) {
    using part = perfetto_file::arrow_part;
    file_.add_arrow(part::begin, arrows_, name, "combining", from.track, from.thread(), cycle);
    file_.add_arrow(part::end, arrows_, name, "combining", to.track, to.thread(), cycle);
    ++arrows_;
  }

  void finish(bool partial) { file_.finish(partial); }

 private:
  perfetto_file file_;
  std::uint64_t arrows_ = 1;
};

class perfetto final : public event_sink, private observer<program_interval> {
 public:
  perfetto(const std::string& path, const event_filter& filter, const machine_shape& shape)
      : trace_(path), filter_(filter), shape_(shape) {}

  void on_event(const network_event& event) override {
    now_ = event.cycle;
    switch (event.kind) {
      case event_kind::accepted:
        open(row_kind::request, event.id, event);
        break;
      case event_kind::inserted:
        open(row_kind::waiting, event.id, event);
        break;
      case event_kind::combined:
        combine(event);
        break;
      case event_kind::departed:
        depart(event);
        break;
      case event_kind::served:
        open(row_kind::service, event.id, event);
        break;
      case event_kind::replied:
        close(row_kind::service, event.id);
        break;
      case event_kind::decombined:
        decombine(event);
        break;
      case event_kind::reply_departed:
        break;
      case event_kind::delivered:
        close(row_kind::service, event.id);  // of a local port, whose replies do not enter
        close(row_kind::request, event.id);
        break;
    }
  }

  observer<program_interval>* intervals() override { return this; }

  void finish(bool partial) override {
    for (const auto& [key, what] : open_) write(what, now_ + 1, true);
    for (const auto& [key, what] : spans_) write(key.second, what, now_ + 1, true);
    trace_.finish(partial);
  }

 private:
  using slice_key = std::tuple<row_kind, std::uint16_t, std::uint32_t>;
  using span_key = std::pair<std::uint32_t, std::string>;  // element, name
  struct track {
    std::map<row_kind, std::vector<bool>> busy;  // by lane
    std::map<row_kind, std::uint32_t> lanes_named;
    bool named = false;
  };

  static slice_key key(row_kind kind, const request_id& id) { return {kind, id.pe, id.sequence}; }

  void on_event(const program_interval& event) override {
    now_ = event.begins() ? event.first : event.last;
    if (event.begins()) {
      begin(event);
    } else {
      end(event);
    }
  }
  void begin(const program_interval& event) {
    span what;
    what.where.track = element_track(event.element);
    what.where.kind = row_kind::program;
    what.where.lane = take_lane(tracks_[what.where.track], row_kind::program);
    what.begin = event.first;
    what.shown = filter_.admits_processor_side() && filter_.admits_pe(event.element);
    spans_[{event.element, std::string(event.name)}] = what;
  }
  /// Without a beginning nothing, as for an interval that was open when the sink was opened.
  void end(const program_interval& event) {
    const auto found = spans_.find({event.element, std::string(event.name)});
    if (found == spans_.end()) return;
    const span what = found->second;
    write(found->first.second, what, now_, false);
    tracks_[what.where.track].busy[row_kind::program][what.where.lane] = false;
    spans_.erase(found);
  }
  void write(const std::string& name_of_span, const span& what, cycle_t end, bool unfinished) {
    if (!what.shown || what.begin > filter_.last_cycle() || end < filter_.first_cycle()) return;
    name(what.where);
    trace_.add_span(what.where, name_of_span, what.begin, end, unfinished);
  }

  /// Tracks in the order of the machine: elements, ports stage by stage, modules.
  static std::uint32_t element_track(std::uint32_t element) { return 1 + element; }
  std::uint32_t track_of(const network_event& event) const {
    const std::uint32_t n = shape_.processing_elements;
    if (event.stage == processor_side) return element_track(event.switch_index);
    const auto stage = static_cast<std::uint32_t>(event.stage);
    const bool module = stage == shape_.stages;
    return 1 + n * (1 + stage) +
           (module ? event.switch_index : 2 * event.switch_index + event.port);
  }
  std::string track_name(std::uint32_t number) const {
    const std::uint32_t n = shape_.processing_elements;
    const std::uint32_t level = (number - 1) / n;
    const std::uint32_t at = (number - 1) % n;
    if (level == 0) return fmt::format("element {}", at);
    if (level == shape_.stages + 1) return fmt::format("module {}", at);
    return fmt::format("stage {} switch {} output {}", level - 1, at / 2, at % 2);
  }

  slice& open(row_kind kind, const request_id& id, const network_event& begin) {
    slice what;
    what.where.track = track_of(begin);
    what.where.kind = kind;
    what.where.lane = take_lane(tracks_[what.where.track], kind);
    what.begin = begin;
    what.id = id;
    what.shown = filter_.admits_place(begin, shape_.stages) && filter_.admits_pe(id.pe);
    return open_[key(kind, id)] = what;
  }
  static std::uint32_t take_lane(track& here, row_kind kind) {
    std::vector<bool>& busy = here.busy[kind];
    const auto free = std::find(busy.begin(), busy.end(), false);
    const auto lane = static_cast<std::uint32_t>(free - busy.begin());
    if (free == busy.end()) busy.push_back(false);
    busy[lane] = true;
    return lane;
  }

  /// Ends a slice in the current cycle; without one nothing, as for a request that was on its way
  /// when the sink was opened.
  void close(row_kind kind, const request_id& id) {
    const auto found = open_.find(key(kind, id));
    if (found == open_.end()) return;
    write(found->second, now_, false);
    const row& where = found->second.where;
    tracks_[where.track].busy[kind][where.lane] = false;
    open_.erase(found);
  }

  void write(const slice& what, cycle_t end, bool unfinished) {
    if (!what.shown || what.begin.cycle > filter_.last_cycle() || end < filter_.first_cycle()) {
      return;
    }
    name(what.where);
    trace_.add_slice(what.where, what.id, what.begin, end, unfinished);
  }
  void name(const row& where) {
    track& here = tracks_[where.track];
    if (!here.named) trace_.name_track(where.track, track_name(where.track));
    here.named = true;
    for (std::uint32_t& lanes = here.lanes_named[where.kind]; lanes <= where.lane; ++lanes) {
      trace_.name_row({where.track, where.kind, lanes});
    }
  }

  void combine(const network_event& event) {
    // In a systolic queue the second waits already.
    const auto waiting = open_.find(key(row_kind::waiting, event.id));
    slice& second =
        waiting != open_.end() ? waiting->second : open(row_kind::waiting, event.id, event);
    seconds_[key(row_kind::waiting, event.other)] = event.id;
    const auto first = open_.find(key(row_kind::waiting, event.other));
    if (first == open_.end() || !filter_.admits_place(event, shape_.stages) ||
        !filter_.admits_requests(event)) {
      return;
    }
    second.shown = first->second.shown = true;
    if (filter_.in_window(event.cycle)) {
      trace_.add_arrow("combined", second.where, first->second.where, event.cycle);
    }
  }

  void depart(const network_event& event) {
    close(row_kind::waiting, event.id);
    const auto found = seconds_.find(key(row_kind::waiting, event.id));
    if (found == seconds_.end()) return;
    const request_id second = found->second;
    seconds_.erase(found);
    network_event begin = event;
    const auto waiting = open_.find(key(row_kind::waiting, second));
    if (waiting != open_.end()) {
      begin.function = waiting->second.begin.function;
      begin.value = waiting->second.begin.value;
    }
    close(row_kind::waiting, second);
    open(row_kind::wait_buffer, second, begin);
  }

  void decombine(const network_event& event) {
    close(row_kind::wait_buffer, event.id);
    if (!filter_.admits(event, shape_.stages)) return;
    const row response{track_of(event), row_kind::response, 0};
    const row other{response.track, row_kind::decombined, 0};
    name(response);
    name(other);
    trace_.add_slice(response, event.other, event, event.cycle + 1, false);
    trace_.add_slice(other, event.id, event, event.cycle + 1, false);
    trace_.add_arrow("decombined", response, other, event.cycle);
  }

  trace_events trace_;
  event_filter filter_;
  machine_shape shape_;
  cycle_t now_ = 0;
  std::map<slice_key, slice> open_;
  std::map<span_key, span> spans_;
  std::map<slice_key, request_id> seconds_;  // of combined pairs in queues, by the first
  std::map<std::uint32_t, track> tracks_;
};

}  // namespace

std::unique_ptr<event_sink> open_perfetto(const std::string& path, const event_filter& filter,
                                          const machine& observed) {
  return std::make_unique<perfetto>(path, filter, shape_of(observed));
}

}  // namespace tributary
