// SPDX-License-Identifier: Apache-2.0
#include <tributary/trace/recording_tables.h>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include <tributary/trace/recording_format.h>

namespace tributary::recording {
namespace {

void put_optional(byte_writer& into, const char* text) {
  into.flag(text != nullptr);
  if (text != nullptr) into.text(text);
}
void put_optional(byte_writer& into, const event_detail* detail) {
  into.flag(detail != nullptr);
  if (detail == nullptr) return;
  into.text(detail->name);
  into.number(static_cast<std::uint8_t>(detail->first_bit));
  into.number(static_cast<std::uint8_t>(detail->bits));
}

void put_size(byte_writer& into, std::size_t size) {
  into.number(static_cast<std::uint32_t>(size));
}

void put(byte_writer& into, const track_group& group) {
  into.text(group.prefix);
  into.text(group.repeated);
  into.number(group.count);
  put_size(into, group.parts.size());
  for (const track_part& part : group.parts) {
    into.text(part.name);
    put_size(into, part.signals.size());
    for (const track_signal& signal : part.signals) {
      into.text(signal.name);
      into.flag(signal.is_link);
    }
  }
}

/// Bytes of the shortest text, which is empty.
constexpr std::size_t least_text = sizeof(std::uint32_t);

/// `room`: tracks that may still come.
track_group take_group(byte_reader& from, std::size_t room) {
  constexpr std::size_t most_parts = 4096;
  constexpr std::size_t most_signals = 256;
  track_group group;
  group.prefix = take_word(from);
  group.repeated = take_word(from);
  group.count = from.number<std::uint32_t>();
  group.parts.resize(from.count(most_parts, 2 * least_text));
  for (track_part& part : group.parts) {
    part.name = take_word(from);
    part.signals.resize(from.count(most_signals, least_text + 1));
    for (track_signal& signal : part.signals) {
      signal.name = take_word(from);
      signal.is_link = from.flag();
    }
  }
  if (group.tracks() == 0) from.refuse("it names no tracks");
  if (group.tracks() > room) from.refuse("it names too many tracks");
  return group;
}

}  // namespace

std::string take_word(byte_reader& from) {
  constexpr std::size_t most_characters = 255;
  std::string word = from.text();
  if (word.size() > most_characters) from.refuse("a name is too long");
  const auto is_plain = [](char c) { return c >= ' ' && c <= '~' && c != '"' && c != '\\'; };
  if (!std::all_of(word.begin(), word.end(), is_plain)) from.refuse("a name is none");
  return word;
}

void put(byte_writer& into, const event_kind& kind) {
  into.text(kind.name);
  into.number(static_cast<std::uint32_t>(kind.order));
  for (const bool each :
       {kind.lasts, kind.has_address, kind.has_value, kind.is_step, kind.joins, kind.parts}) {
    into.flag(each);
  }
  put_optional(into, kind.within);
  put_optional(into, kind.link);
  put_optional(into, kind.title);
  put_optional(into, kind.asked);
  for (const stay_change& each : kind.changes) {
    put_optional(into, each.stay);
    into.flag(each.begins);
    into.flag(each.of_joined);
    into.flag(each.onward);
  }
  for (const event_detail* each : kind.details) put_optional(into, each);
}

void kind_table::take(byte_reader& from) {
  if (kinds_.size() == most_kinds) from.refuse("there are too many kinds of events");
  event_kind& kind = kinds_.emplace_back();
  kind.name = take_text(from);
  kind.order = from.number<std::uint32_t>();
  for (bool* each :
       {&kind.lasts, &kind.has_address, &kind.has_value, &kind.is_step, &kind.joins, &kind.parts}) {
    *each = from.flag();
  }
  kind.within = take_optional_text(from);
  kind.link = take_optional_text(from);
  kind.title = take_optional_detail(from);
  kind.asked = take_optional_detail(from);
  for (stay_change& each : kind.changes) {
    each.stay = take_optional_text(from);
    each.begins = from.flag();
    each.of_joined = from.flag();
    each.onward = from.flag();
  }
  for (const event_detail*& each : kind.details) each = take_optional_detail(from);
  if (kind.joins && kind.changes[0].stay == nullptr) from.refuse("who joins stays nowhere");
}

const char* kind_table::take_text(byte_reader& from) {
  return texts_.insert(take_word(from)).first->c_str();
}
const char* kind_table::take_optional_text(byte_reader& from) {
  return from.flag() ? take_text(from) : nullptr;
}
const event_detail* kind_table::take_optional_detail(byte_reader& from) {
  constexpr unsigned value_bits = 64;
  if (!from.flag()) return nullptr;
  event_detail& detail = details_.emplace_back();
  detail.name = take_text(from);
  detail.first_bit = from.number<std::uint8_t>();
  detail.bits = from.number<std::uint8_t>();
  if (detail.bits >= value_bits || detail.first_bit + detail.bits > value_bits) {
    from.refuse("a detail has more bits than there are");
  }
  return &detail;
}

void put(byte_writer& into, const trace_catalog& catalog) {
  into.text(catalog.machine());
  into.text(catalog.origin());
  into.number(catalog.origins);
  catalog.for_each_group([&](const track_group& group) {
    into.flag(true);
    put(into, group);
  });
  into.flag(false);
  catalog.for_each_names([&](const std::string& detail, const std::vector<std::string>& names) {
    into.flag(true);
    into.text(detail);
    put_size(into, names.size());
    for (const std::string& name : names) into.text(name);
  });
  into.flag(false);
}

trace_catalog take_catalog(byte_reader& from) {
  constexpr std::size_t most_groups = std::size_t{1} << 16;
  constexpr std::size_t most_details = 1024;
  constexpr std::size_t most_names = std::size_t{1} << 16;
  std::string machine = take_word(from);
  trace_catalog catalog(std::move(machine), take_word(from));
  catalog.origins = from.number<std::uint32_t>();
  for (std::size_t groups = 0; from.flag(); ++groups) {
    if (groups == most_groups) from.refuse("there are too many groups of tracks");
    catalog.add(take_group(from, most_tracks - catalog.tracks()));
  }
  for (std::size_t details = 0; from.flag(); ++details) {
    if (details == most_details) from.refuse("there are too many details");
    const std::string detail = take_word(from);
    std::vector<std::string> names(from.count(most_names, least_text));
    for (std::string& name : names) name = take_word(from);
    catalog.set_names(detail, std::move(names));
  }
  return catalog;
}

void put(byte_writer& into, const trace_start& start) {
  into.number(start.now);
  put_size(into, start.levels.size());
  for (const trace_start::level& each : start.levels) {
    into.number(static_cast<std::uint32_t>(each.track));
    into.text(each.stay);
    into.number(each.count);
  }
  put_size(into, start.pairs.size());
  for (const trace_start::pair& each : start.pairs) {
    into.number(each.joined.bits());
    into.number(each.parent.bits());
  }
}

trace_start take_start(byte_reader& from, std::size_t tracks) {
  constexpr std::size_t most_held = most_bytes(section::begin);
  trace_start start;
  start.now = from.number<cycle_t>();
  start.levels.resize(from.count(most_held, 2 * sizeof(std::uint32_t) + least_text));
  for (trace_start::level& each : start.levels) {
    const auto track = from.number<std::uint32_t>();
    if (track >= tracks) from.refuse("there is no such track");
    each.track = static_cast<track_id>(track);
    each.stay = take_word(from);
    each.count = from.number<std::uint32_t>();
  }
  start.pairs.resize(from.count(most_held, 2 * sizeof(std::uint64_t)));
  for (trace_start::pair& each : start.pairs) {
    each.joined = trace_identity::of_bits(from.number<std::uint64_t>());
    each.parent = trace_identity::of_bits(from.number<std::uint64_t>());
  }
  return start;
}

void put(byte_writer& into, const trace_filter_options& options) {
  into.text(options.window);
  into.text(options.tracks);
  into.text(options.origins);
}

trace_filter_options take_filter(byte_reader& from) {
  trace_filter_options options;
  options.window = from.text();
  options.tracks = from.text();
  options.origins = from.text();
  return options;
}

}  // namespace tributary::recording
