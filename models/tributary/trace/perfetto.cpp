// SPDX-License-Identifier: Apache-2.0
// Trace for Perfetto and Chrome's viewer (docs/formats/event-log.md).
#include <fmt/compile.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <tributary/sim/text_file.h>
#include <tributary/trace/sink.h>
#include <tributary/trace/stays.h>

namespace tributary {
namespace {

/// A row of a track: of one kind of slices, with as many lanes as overlap.
struct row {
  track_id track{};
  std::string_view label;
  std::size_t lane = 0;
};

bool operator==(const row& x, const row& y) {
  return x.track == y.track && x.lane == y.lane && x.label == y.label;
}

struct row_hash {
  std::size_t operator()(const row& each) const {
    constexpr std::size_t spread = 0x9e3779b97f4a7c15;  // 2^64 over the golden ratio
    const auto track = static_cast<std::size_t>(each.track);
    return std::hash<std::string_view>()(each.label) ^ (track << 8 ^ each.lane) * spread;
  }
};

void append_decimal(std::string& text, std::uint64_t number) {
  const fmt::format_int digits(number);
  text.append(digits.data(), digits.size());
}

void append_hexadecimal(std::string& text, std::uint64_t number) {
  std::array<char, 2 * sizeof number> digits{};
  const char* const end =
      std::to_chars(digits.data(), digits.data() + digits.size(), number, 16).ptr;
  text += "0x";
  text.append(digits.data(), static_cast<std::size_t>(end - digits.data()));
}

/// As `to_string`.
void append_identity(std::string& text, trace_identity identity) {
  if (identity.none()) {
    text += '-';
    return;
  }
  append_decimal(text, identity.origin());
  text += identity.is_message() ? ".m" : ".";
  append_decimal(text, identity.sequence());
}

/// Writes the viewer's events as JSON; a cycle is a microsecond. Tracks of one unit of the machine
/// share a process to the viewer, and each row is a thread.
class perfetto_file {
 public:
  perfetto_file(const std::string& path, const trace_catalog& catalog)
      : file_(path), catalog_(catalog) {
    file_.write("{\"traceEvents\":[");
  }

  /// A slice from `begin` up to, not including, `end`. `arguments`: members of an object.
  void add_slice(const row& where, std::string_view name, cycle_t begin, cycle_t end,
                 std::string_view arguments) {
    const std::string& at = place(where);
    begin_event();
    line_ += R"({"ph":"X","name":")";
    line_ += name;
    line_ += R"(","cat":")";
    line_ += where.label;
    line_ += R"(",)";
    line_ += at;
    line_ += R"(,"ts":)";
    append_decimal(line_, begin);
    line_ += R"(,"dur":)";
    append_decimal(line_, end - begin);
    line_ += R"(,"args":{)";
    line_ += arguments;
    line_ += "}}";
    file_.write(line_);
  }

  /// A point of an arrow, at the slice that is there in the cycle.
  enum class arrow_part : char { begin = 's', step = 't', end = 'f' };
  void add_arrow(arrow_part part, std::uint64_t arrow, std::string_view name, const row& where,
                 cycle_t cycle) {
    // "bp": "e" binds the arrow's head to the slice around it.
    const std::string& at = place(where);
    begin_event();
    fmt::format_to(std::back_inserter(line_),
                   FMT_COMPILE(R"({{"ph":"{}",{}"id":{},"name":"{}","cat":"{}",{},"ts":{}}})"),
                   static_cast<char>(part), part == arrow_part::begin ? "" : R"("bp":"e",)", arrow,
                   name, name, at, cycle);
    file_.write(line_);
  }

  void finish(bool partial) {
    file_.write(
        fmt::format("\n],\n\"displayTimeUnit\":\"ns\",\n\"otherData\":{{\"format\":"
                    "\"tributary-perfetto 2\",\"time\":\"1 us is 1 cycle\",\"partial\":{}}}}}\n",
                    partial));
    file_.commit();
  }

 private:
  /// The process and thread of a row, which are named when they first come.
  const std::string& place(const row& where) {
    std::string& known = places_[where];
    if (known.empty()) known = introduce(where);
    return known;
  }

  std::string introduce(const row& where) {
    const std::string name = catalog_.name_of(where.track);
    const std::size_t unit = length_of_unit(name);
    const std::size_t process = number(processes_, name.substr(0, unit), [&](std::size_t id) {
      name_it("process", fmt::format(R"("pid":{})", id), name.substr(0, unit), where.track);
    });
    const std::string thread_name = name.substr(std::min(unit + 1, name.size())) +
                                    (unit == name.size() ? "" : " ") + std::string(where.label) +
                                    (where.lane == 0 ? "" : fmt::format(" {}", where.lane + 1));
    const std::size_t thread = number(threads_, name + " " + thread_name, [&](std::size_t id) {
      name_it("thread", fmt::format(R"("pid":{},"tid":{})", process, id), thread_name, where.track);
    });
    return fmt::format(R"("pid":{},"tid":{})", process, thread);
  }

  /// "stage.0.switch.3" of "stage.0.switch.3.output.1", "node.3" of "node.3.inbox".
  static std::size_t length_of_unit(const std::string& name) {
    std::size_t length = name.size();
    for (std::size_t at = name.find('.'); at != std::string::npos; at = name.find('.', at + 1)) {
      const char last = name[at - 1];
      if (last >= '0' && last <= '9') length = at;
    }
    return length;
  }

  template <class Introduce>
  static std::size_t number(std::map<std::string, std::size_t>& known, const std::string& name,
                            Introduce&& introduce) {
    const auto [place, is_new] = known.insert({name, known.size() + 1});
    if (is_new) introduce(place->second);
    return place->second;
  }

  void name_it(const char* thing, const std::string& ids, const std::string& name, track_id track) {
    write(fmt::format(R"({{"ph":"M","name":"{}_name",{},"args":{{"name":"{}"}}}})", thing, ids,
                      name));
    write(fmt::format(R"({{"ph":"M","name":"{}_sort_index",{},"args":{{"sort_index":{}}}}})", thing,
                      ids, static_cast<std::uint32_t>(track)));
  }

  void write(const std::string& event) {
    begin_event();
    line_ += event;
    file_.write(line_);
  }
  void begin_event() {
    line_ = first_ ? "\n" : ",\n";
    first_ = false;
  }

  text_writer file_;
  const trace_catalog& catalog_;
  std::string line_;
  std::unordered_map<row, std::string, row_hash> places_;
  std::map<std::string, std::size_t> processes_;
  std::map<std::string, std::size_t> threads_;
  bool first_ = true;
};

class perfetto final : public trace_sink {
 public:
  perfetto(const std::string& path, trace_filter filter, const trace_catalog& catalog)
      : file_(path, catalog), filter_(std::move(filter)), catalog_(catalog), stays_(catalog) {}

  void on_event(const trace_event& event) override {
    now_ = std::max(now_, event.cycle);
    const event_kind& kind = *event.kind;
    // A step is at a stay that ends with it, or that begins.
    std::optional<row> where = stay_of_step(event);
    stays_.follow(event, [&](const stay_tracker::change& change) {
      change.begins ? begin(change, event) : end(change, event);
    });
    if (!where) where = stay_of_step(event);
    if (kind.joins) join(event);
    if (kind.parts) part(event);
    if (kind.lasts) where = show(event);
    if (kind.is_step && where) step(event, *where);
    if (kind.within != nullptr) keep(event);
  }

  void finish(bool partial) override {
    for (const auto& [key, stay] : open_) write(stay, now_ + 1, true);
    for (const auto& [track, events] : within_) {
      for (const trace_event& each : events) step(each, {track, each.kind->within, 0});
    }
    file_.finish(partial);
  }

 private:
  using stay_key = std::pair<std::uint64_t, std::string_view>;  // stay_tracker's key, name
  /// What has begun and not ended.
  struct open_stay {
    row where;
    trace_event begun;
    std::string asked;  // for by its identity; empty if that is not known
    bool shown = false;
  };
  /// By lane, the first cycle in which it is free.
  using lane_list = std::vector<cycle_t>;

  row take_row(track_id track, std::string_view label, cycle_t from, cycle_t until) {
    lane_list& lanes = lanes_[{track, label}];
    const auto free = std::find_if(lanes.begin(), lanes.end(),
                                   [from](cycle_t busy_until) { return busy_until <= from; });
    const auto lane = static_cast<std::size_t>(free - lanes.begin());
    if (free == lanes.end()) lanes.push_back(0);
    lanes[lane] = until;
    return {track, label, lane};
  }

  void begin(const stay_tracker::change& change, const trace_event& event) {
    std::string asked = asked_by(change.identity, event);
    open_stay& stay = open_[{change.key, change.stay}];
    stay.where = take_row(change.track, change.stay, event.cycle, never);
    stay.begun = event;
    stay.asked = std::move(asked);
    if (change.identity != event.identity) {  // who had joined the event's
      stay.begun.identity = change.identity;
      stay.begun.parent = event.identity;
    }
    stay.shown = filter_.admits(change.track) && filter_.admits_origin(stay.begun);
  }
  /// Nothing for what had begun before the file.
  void end(const stay_tracker::change& change, const trace_event& event) {
    const auto found = open_.find({change.key, change.stay});
    if (found == open_.end()) return;
    const open_stay& stay = found->second;
    write(stay, event.last, false);
    lanes_[{stay.where.track, stay.where.label}][stay.where.lane] = event.last;
    open_.erase(found);
  }
  void write(const open_stay& stay, cycle_t end, bool is_open) {
    if (!stay.shown || !filter_.in_window(stay.begun.cycle, end)) return;
    const bool nameless = stay.asked.empty() && stay.begun.identity.none();  // as a data buffer is
    const std::string title =
        title_of(stay.begun,
                 nameless ? std::string(stay.where.label) : named(stay.asked, stay.begun.identity));
    file_.add_slice(stay.where, title, stay.begun.cycle, end,
                    arguments_of(stay.begun) + (is_open ? R"(,"open":true)" : ""));
  }

  /// An event that lasts is a slice of its own, around the steps that were kept for it.
  row show(const trace_event& event) {
    const row where = take_row(event.track, event.kind->name, event.cycle, event.last + 1);
    if (filter_.admits(event)) {
      const std::string asked = asked_in(event);
      const std::string otherwise =
          asked.empty() ? std::string(event.kind->name) : named(asked, event.identity);
      file_.add_slice(where, title_of(event, otherwise), event.cycle, event.last + 1,
                      arguments_of(event));
    }
    ended_[event.track] = event;
    const auto kept = within_.find(event.track);
    if (kept == within_.end()) return where;
    for (const trace_event& each : kept->second) step(each, where);
    within_.erase(kept);
    return where;
  }

  void join(const trace_event& event) {
    const auto second = open_.find({event.identity.bits(), event.kind->changes[0].stay});
    auto first = open_.lower_bound({event.parent.bits(), ""});
    while (first != open_.end() && first->second.begun.identity == event.parent &&
           first->second.where.track != event.track) {
      ++first;
    }
    if (second == open_.end() || first == open_.end() ||
        first->second.begun.identity != event.parent || !filter_.admits(event.track) ||
        !filter_.admits_origin(event)) {
      return;
    }
    first->second.shown = true;
    if (filter_.in_window(event.cycle)) {
      add_arrow(event.kind->name, second->second.where, first->second.where, event.cycle);
    }
  }

  /// A cycle of both, one next to the other, with an arrow from the one that brought the other.
  void part(const trace_event& event) {
    if (!filter_.admits(event)) return;
    const row brought = take_row(event.track, event.kind->name, event.cycle, event.cycle + 1);
    const row by = take_row(event.track, "brought it", event.cycle, event.cycle + 1);
    file_.add_slice(by, named(asked_by(event.parent, event), event.parent), event.cycle,
                    event.cycle + 1, fmt::format(R"("identity":"{}")", to_string(event.parent)));
    file_.add_slice(brought, named(asked_by(event.identity, event), event.identity), event.cycle,
                    event.cycle + 1, arguments_of(event));
    add_arrow(event.kind->name, by, brought, event.cycle);
  }

  void add_arrow(const char* name, const row& from, const row& to, cycle_t cycle) {
    file_.add_arrow(perfetto_file::arrow_part::begin, ++arrows_, name, from, cycle);
    file_.add_arrow(perfetto_file::arrow_part::end, arrows_, name, to, cycle);
  }

  void step(const trace_event& event, const row& where) {
    if (event.identity.none() || !filter_.admits(event)) return;
    const bool is_first = event.kind->within != nullptr || stepped_.insert(event.identity).second;
    file_.add_arrow(is_first ? perfetto_file::arrow_part::begin : perfetto_file::arrow_part::step,
                    event.identity.bits(), "message", where, event.cycle);
  }
  /// What lasts around a step is told when it has ended: before a step of the cycle after it, else
  /// later.
  void keep(const trace_event& event) {
    stepped_.insert(event.identity);
    const auto last = ended_.find(event.track);
    const bool is_of_last = last != ended_.end() && last->second.identity == event.parent &&
                            event.cycle == last->second.last + 1;
    trace_event within = event;
    within.cycle = is_of_last ? last->second.last : event.cycle;
    if (is_of_last) {
      step(within, {event.track, event.kind->within, 0});
    } else {
      within_[event.track].push_back(within);
    }
  }
  std::optional<row> stay_of_step(const trace_event& event) const {
    const event_kind& kind = *event.kind;
    if (!kind.is_step || kind.changes[0].stay == nullptr) return std::nullopt;
    const auto stay = open_.find({event.identity.bits(), kind.changes[0].stay});
    return stay == open_.end() ? std::nullopt : std::optional<row>(stay->second.where);
  }

  /// What the event itself says that its identity is or asks for; empty for nothing.
  std::string asked_in(const trace_event& event) const {
    const event_detail* const asked = event.kind->asked;
    const std::string* const name =
        asked == nullptr ? nullptr : catalog_.name_of(*asked, asked->in(event.details));
    if (name == nullptr) return "";
    const auto number = catalog_.subject ? catalog_.subject(event) : std::nullopt;
    return number ? fmt::format(FMT_COMPILE("{} {}"), *name, *number) : *name;
  }
  /// What an identity asked for: as its open stays have it from the first of them, because
  /// combining changes what a request carries later.
  std::string asked_by(trace_identity identity, const trace_event& event) const {
    for (auto stay = open_.lower_bound({identity.bits(), ""});
         stay != open_.end() && stay->first.first == identity.bits(); ++stay) {
      if (stay->second.begun.identity == identity) return stay->second.asked;
    }
    return event.identity == identity ? asked_in(event) : std::string();
  }
  /// "fetch_add 3.17", or the identity alone.
  static std::string named(const std::string& asked, trace_identity identity) {
    std::string name = asked;
    if (!asked.empty()) name += ' ';
    append_identity(name, identity);
    return name;
  }
  std::string title_of(const trace_event& event, const std::string& otherwise) const {
    const event_detail* const title = event.kind->title;
    const std::string* const name =
        title == nullptr ? nullptr : catalog_.name_of(*title, title->in(event.details));
    return name == nullptr ? otherwise : *name;
  }

  std::string arguments_of(const trace_event& event) const {
    constexpr std::size_t usual_length = 128;
    std::string text;
    text.reserve(usual_length);
    text += R"("identity":")";
    append_identity(text, event.identity);
    text += '"';
    if (!event.parent.none()) {
      text += R"(,"parent":")";
      append_identity(text, event.parent);
      text += '"';
    }
    if (event.kind->has_address) append_word(text, R"(,"address":")", event.address);
    if (event.kind->has_value) append_word(text, R"(,"value":")", event.value);
    const auto show = [&text](const char* detail, std::uint64_t value, const std::string* name) {
      text += R"(,")";
      text += detail;
      text += name != nullptr ? R"(":")" : R"(":)";
      if (name != nullptr) {
        text += *name;
        text += '"';
      } else {
        append_decimal(text, value);
      }
    };
    catalog_.for_each_detail(event, show);
    return text;
  }
  static void append_word(std::string& text, const char* name, std::uint64_t word) {
    text += name;
    append_hexadecimal(text, word);
    text += '"';
  }

  perfetto_file file_;
  trace_filter filter_;
  const trace_catalog& catalog_;
  stay_tracker stays_;
  std::map<stay_key, open_stay> open_;
  std::map<std::pair<track_id, std::string_view>, lane_list> lanes_;
  std::map<track_id, trace_event> ended_;  // what lasted last
  std::map<track_id, std::vector<trace_event>>
      within_;                        // steps that wait for what lasts around them
  std::set<trace_identity> stepped_;  // of which an arrow has begun
  std::uint64_t arrows_ = 0;
  cycle_t now_ = 0;
};

}  // namespace

std::unique_ptr<trace_sink> open_perfetto(const std::string& path, const trace_filter& filter,
                                          const trace_catalog& catalog) {
  return std::make_unique<perfetto>(path, filter, catalog);
}

}  // namespace tributary
