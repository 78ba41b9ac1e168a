// SPDX-License-Identifier: Apache-2.0
#include <tributary/trace/event_condition.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <system_error>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <tributary/sim/error.h>
#include <tributary/trace/filter.h>

namespace tributary {
namespace {

enum class relation : std::uint8_t { equal, unequal, less, at_most, more, at_least };

struct named_relation {
  std::string_view text;
  relation what;
};
/// Longer ones first, as they begin like others.
constexpr std::array<named_relation, 7> relations{{{"==", relation::equal},
                                                   {"!=", relation::unequal},
                                                   {"<=", relation::at_most},
                                                   {">=", relation::at_least},
                                                   {"=", relation::equal},
                                                   {"<", relation::less},
                                                   {">", relation::more}}};

constexpr bool orders(relation what) {
  return what != relation::equal && what != relation::unequal;
}

bool fulfils(std::uint64_t found, relation what, std::uint64_t wanted) {
  switch (what) {
    case relation::equal:
      return found == wanted;
    case relation::unequal:
      return found != wanted;
    case relation::less:
      return found < wanted;
    case relation::at_most:
      return found <= wanted;
    case relation::more:
      return found > wanted;
    case relation::at_least:
      return found >= wanted;
  }
  return false;
}

/// The words of a condition, each with its place in it.
struct word {
  std::string_view text;
  std::size_t place = 0;  // from 1
};

bool is_relation(char character) {
  return character == '=' || character == '!' || character == '<' || character == '>';
}

std::vector<word> words_of(std::string_view text) {
  std::vector<word> words;
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] == ' ' || text[at] == '\t') {
      ++at;
      continue;
    }
    const bool relates = is_relation(text[at]);
    std::size_t end = at;
    while (end < text.size() && text[end] != ' ' && text[end] != '\t' &&
           is_relation(text[end]) == relates) {
      ++end;
    }
    words.push_back({text.substr(at, end - at), at + 1});
    at = end;
  }
  return words;
}

/// A decimal number, or a hexadecimal one behind "0x".
std::optional<std::uint64_t> number_of(std::string_view text) {
  const bool is_hexadecimal =
      text.size() > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
  const std::string_view digits = is_hexadecimal ? text.substr(2) : text;
  std::uint64_t number = 0;
  const char* const end = digits.data() + digits.size();
  const auto [rest, problem] =
      std::from_chars(digits.data(), end, number, is_hexadecimal ? 16 : 10);
  if (digits.empty() || problem != std::errc() || rest != end) return std::nullopt;
  return number;
}

/// "3.17", of a message "3.m17".
std::optional<trace_identity> identity_of(std::string_view text) {
  constexpr std::uint64_t sequences = std::uint64_t{1} << 39;
  constexpr std::uint64_t origins = std::uint64_t{1} << 24;
  const std::size_t dot = text.find('.');
  if (dot == std::string_view::npos) return std::nullopt;
  std::string_view behind = text.substr(dot + 1);
  const bool is_message = !behind.empty() && behind[0] == 'm';
  if (is_message) behind.remove_prefix(1);
  const auto origin = number_of(text.substr(0, dot));
  const auto sequence = number_of(behind);
  if (!origin || !sequence || *origin >= origins - 1 || *sequence >= sequences) return std::nullopt;
  const auto from = static_cast<std::uint32_t>(*origin);
  return is_message ? trace_identity::message(from, *sequence)
                    : trace_identity::reference(from, *sequence);
}

/// Since when references wait that are under way.
class pending_references {
 public:
  explicit pending_references(std::string lifetime) : lifetime_(std::move(lifetime)) {}

  /// The cycles from when its reference was asked for to the event's end; nothing for others.
  std::optional<std::uint64_t> latency(const trace_event& event) {
    if (event.identity.none()) return std::nullopt;
    const stay_change* const change = change_of(*event.kind);
    if (change != nullptr && change->begins) asked_[event.identity.bits()] = event.cycle;
    const auto found = asked_.find(event.identity.bits());
    if (found == asked_.end()) return std::nullopt;
    const cycle_t asked = found->second;
    if (change != nullptr && !change->begins) asked_.erase(found);
    return event.last - std::min(asked, event.last);
  }

 private:
  const stay_change* change_of(const event_kind& kind) const {
    for (const stay_change& each : kind.changes) {
      if (each.stay == nullptr) break;
      if (!each.of_joined && each.stay == lifetime_) return &each;
    }
    return nullptr;
  }

  std::string lifetime_;
  std::unordered_map<std::uint64_t, cycle_t> asked_;  // in which cycle, by identity
};

/// One comparison.
using comparison = std::function<bool(const trace_event&)>;

}  // namespace

struct event_condition::implementation {
  implementation(std::string option_, std::string text_, const trace_catalog& catalog_)
      : option(std::move(option_)),
        text(std::move(text_)),
        catalog(catalog_),
        pending(catalog.lifetime) {
    read();
  }

  bool holds(const trace_event& event) {
    latency = uses_latency ? pending.latency(event) : std::nullopt;
    return std::all_of(comparisons.begin(), comparisons.end(),
                       [&](const comparison& each) { return each(event); });
  }

  [[noreturn]] void refuse(std::size_t place, const std::string& problem,
                           const std::string& allowed) const {
    throw configuration_error(
        {option, "", fmt::format("\"{}\", character {}: {}", text, place, problem), allowed, ""});
  }

  void read() {
    const std::string form =
        "comparisons with \"and\" between them, as \"event = delivered and latency > 500\"";
    const std::vector<word> words = words_of(text);
    const auto word_at = [&](std::size_t at, const char* wanted) {
      if (at >= words.size()) {
        refuse(text.size() + 1, fmt::format("{} is missing", wanted), form);
      }
      return words[at];
    };
    for (std::size_t at = 0;; at += 4) {
      const word field = word_at(at, "the name of a field");
      const word related = word_at(at + 1, "a comparison (=, !=, <, <=, >, >=)");
      const auto what = std::find_if(relations.begin(), relations.end(),
                                     [&](const auto& each) { return each.text == related.text; });
      if (what == relations.end()) {
        refuse(related.place, fmt::format("\"{}\" is no comparison", related.text),
               "=, !=, <, <=, >, >=");
      }
      add(field, {related, what->what}, word_at(at + 2, "a value"));
      if (at + 3 == words.size()) return;
      if (words[at + 3].text != "and") {
        refuse(words[at + 3].place, fmt::format("\"{}\" is not \"and\"", words[at + 3].text), form);
      }
    }
  }

  struct found_relation {
    word where;
    relation what;
  };

  void add(const word& field, const found_relation& how, const word& value) {
    const std::string_view name = field.text;
    if (name == "cycle") {
      add_number(how, value, [](const trace_event& event) { return event.cycle; });
    } else if (name == "last") {
      add_number(how, value, [](const trace_event& event) { return event.last; });
    } else if (name == "address" || name == "value") {
      add_word(name == "address", how, value);
    } else if (name == "latency") {
      add_latency(field, how, value);
    } else if (name == "identity" || name == "parent") {
      add_identity(name == "parent", how, value);
    } else if (name == "event") {
      add_event(how, value);
    } else if (name == "track") {
      add_track(how, value);
    } else {
      add_detail(field, how, value);
    }
  }

  /// `of`: the number of an event, or nothing.
  template <class Of>
  void add_number(const found_relation& how, const word& value, Of of) {
    const auto wanted = number_of(value.text);
    if (!wanted) {
      refuse(value.place, fmt::format("\"{}\" is not a whole number", value.text),
             "a whole number from 0 on, hexadecimal behind \"0x\"");
    }
    comparisons.push_back([of, what = how.what, wanted = *wanted](const trace_event& event) {
      const std::optional<std::uint64_t> found = of(event);
      return found && fulfils(*found, what, wanted);
    });
  }

  void add_word(bool is_address, const found_relation& how, const word& value) {
    add_number(how, value, [is_address](const trace_event& event) -> std::optional<std::uint64_t> {
      if (is_address) return event.kind->has_address ? std::optional(event.address) : std::nullopt;
      return event.kind->has_value ? std::optional(event.value) : std::nullopt;
    });
  }

  void add_latency(const word& field, const found_relation& how, const word& value) {
    if (catalog.lifetime.empty()) {
      refuse(field.place, "the machine's events have no latency", allowed_fields());
    }
    uses_latency = true;
    add_number(how, value, [this](const trace_event&) { return latency; });
  }

  /// Names have no order.
  void check_order(const found_relation& how) const {
    if (!orders(how.what)) return;
    refuse(how.where.place,
           fmt::format("\"{}\" compares numbers, and these are names", how.where.text), "=, !=");
  }

  void add_identity(bool of_parent, const found_relation& how, const word& value) {
    check_order(how);
    const auto wanted = identity_of(value.text);
    if (!wanted) {
      refuse(value.place, fmt::format("\"{}\" is not an identity", value.text),
             "a reference as \"3.17\", a message as \"3.m17\"");
    }
    comparisons.push_back([=, what = how.what, wanted = *wanted](const trace_event& event) {
      const trace_identity found = of_parent ? event.parent : event.identity;
      return !found.none() && fulfils(found.bits(), what, wanted.bits());
    });
  }

  void add_event(const found_relation& how, const word& value) {
    check_order(how);
    std::vector<std::string_view> names;
    for (const event_kind* each : catalog.kinds) names.emplace_back(each->name);
    require_name(value, "event", names);
    comparisons.push_back(
        [what = how.what, wanted = std::string(value.text)](const trace_event& event) {
          return (wanted == event.kind->name) == (what == relation::equal);
        });
  }

  void add_track(const found_relation& how, const word& value) {
    check_order(how);
    trace_filter_options options;
    options.tracks = std::string(value.text);
    trace_filter tracks;
    try {
      tracks = trace_filter(options, catalog);
    } catch (const configuration_error& problem) {
      if (problem.problem() == nullptr) throw;
      refuse(value.place, problem.problem()->problem, problem.problem()->allowed);
    }
    comparisons.push_back([tracks = std::move(tracks), what = how.what](const trace_event& event) {
      return tracks.admits(event.track) == (what == relation::equal);
    });
  }

  /// A detail that the event log shows, by its number or the name of it.
  void add_detail(const word& field, const found_relation& how, const word& value) {
    const event_detail* const detail = find_detail(field);
    const auto found = [detail, this](const trace_event& event) -> std::optional<std::uint64_t> {
      for (const event_detail* each : event.kind->details) {
        if (each == nullptr) break;
        if (each->name != std::string_view(detail->name)) continue;
        const std::uint64_t number = each->in(event.details);
        const bool is_none = number == each->absent() && catalog.name_of(*each, number) == nullptr;
        return is_none ? std::nullopt : std::optional(number);
      }
      return std::nullopt;
    };
    const std::vector<std::string>* const names = names_of(*detail);
    if (names == nullptr) return add_number(how, value, found);
    check_order(how);
    // Names that come during the run are not known yet.
    if (!names->empty()) require_name(value, field.text, {names->begin(), names->end()});
    comparisons.push_back(
        [=, what = how.what, wanted = std::string(value.text)](const trace_event& event) {
          const std::optional<std::uint64_t> number = found(event);
          const std::string* const name = number ? catalog.name_of(*detail, *number) : nullptr;
          return name != nullptr && (*name == wanted) == (what == relation::equal);
        });
  }

  const std::vector<std::string>* names_of(const event_detail& detail) const {
    const std::vector<std::string>* found = nullptr;
    catalog.for_each_names([&](const std::string& name, const std::vector<std::string>& names) {
      if (name == detail.name) found = &names;
    });
    return found;
  }

  /// The details of all kinds, of one name once.
  std::vector<const event_detail*> details() const {
    std::vector<const event_detail*> all;
    for (const event_kind* kind : catalog.kinds) {
      for (const event_detail* each : kind->details) {
        if (each == nullptr) break;
        const bool is_there =
            std::any_of(all.begin(), all.end(), [each](const event_detail* other) {
              return std::string_view(other->name) == each->name;
            });
        if (!is_there) all.push_back(each);
      }
    }
    return all;
  }

  const event_detail* find_detail(const word& field) const {
    for (const event_detail* each : details()) {
      if (field.text == each->name) return each;
    }
    refuse(field.place, fmt::format("\"{}\" is no field of an event", field.text),
           allowed_fields());
  }

  std::string allowed_fields() const {
    std::vector<std::string_view> fields{"cycle",    "last",   "track",   "event",
                                         "identity", "parent", "address", "value"};
    if (!catalog.lifetime.empty()) fields.emplace_back("latency");
    for (const event_detail* each : details()) fields.emplace_back(each->name);
    return fmt::format("{}", fmt::join(fields, ", "));
  }

  void require_name(const word& value, std::string_view field,
                    std::vector<std::string_view> names) const {
    if (std::find(names.begin(), names.end(), value.text) != names.end()) return;
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    refuse(value.place, fmt::format("there is no {} \"{}\"", field, value.text),
           fmt::format("{}", fmt::join(names, ", ")));
  }

  std::string option;
  std::string text;
  const trace_catalog& catalog;
  std::vector<comparison> comparisons;
  bool uses_latency = false;
  pending_references pending;
  std::optional<std::uint64_t> latency;  // of the event that is looked at
};

event_condition::event_condition(const std::string& option, const std::string& text,
                                 const trace_catalog& catalog)
    : implementation_(std::make_unique<implementation>(option, text, catalog)) {}

event_condition::~event_condition() = default;
event_condition::event_condition(event_condition&&) noexcept = default;
event_condition& event_condition::operator=(event_condition&&) noexcept = default;

bool event_condition::holds(const trace_event& event) { return implementation_->holds(event); }

}  // namespace tributary
