// SPDX-License-Identifier: Apache-2.0
// Texts of a Perfetto trace that are written once and then named by numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tributary/trace/perfetto_fields.h>
#include <tributary/trace/perfetto_writer.h>
#include <tributary/trace/protobuf_bytes.h>
#include <tributary/trace/text_line.h>

namespace tributary {

/// Writes each text before it is first used. Numbers are from 1, each kind's its own.
class perfetto_interner {
 public:
  explicit perfetto_interner(protobuf_file& file) : file_(file) {}

  /// `{"fetch_add 3.17", "3.17"}`, as an event's name and as a text in arguments.
  struct numbers {
    std::uint32_t name = 0;
    std::uint32_t text = 0;
  };

  /// Of a slice; `text` is of its identity, and 0 if it has none.
  numbers of(const perfetto_title& title) {
    if (!title.has_identity) return {number_in(names_, title.words), 0};
    place& known = places_[place_of(title.identity)];
    if (known.texts.name == 0 || known.identity != title.identity ||
        known.words != title.words.data() || known.number != title.number) {
      intern(title, known);
    }
    return known.texts;
  }
  /// Of an identity in arguments.
  std::uint32_t text_of(trace_identity identity) {
    place& known = places_[place_of(identity)];
    if (known.texts.text == 0 || known.identity != identity) intern(identity, known);
    return known.texts.text;
  }
  std::uint32_t text_of(std::string_view text) { return number_in(texts_, text); }
  std::uint32_t category_of(std::string_view kind) { return number_in(categories_, kind); }
  std::uint32_t argument_of(std::string_view name) { return number_in(arguments_, name); }

 private:
  /// What was last interned of identities that share it.
  struct place {
    trace_identity identity;
    const char* words = nullptr;
    std::optional<std::uint64_t> number;
    numbers texts;
  };
  /// Texts of one kind, and the last number that was given.
  struct table {
    perfetto_fields::interned_data field;
    std::uint32_t last = 0;
    std::map<std::string, std::uint32_t, std::less<>> known;
  };

  static constexpr unsigned place_bits = 13;
  static std::size_t place_of(trace_identity identity) {
    constexpr std::uint64_t spread = 0x9e3779b97f4a7c15;  // 2^64 over the golden ratio
    return (identity.bits() * spread) >> (64 - place_bits);
  }

  void intern(const perfetto_title& title, place& known);
  void intern(trace_identity identity, place& known);
  std::uint32_t number_in(table& kind, std::string_view text);
  void write(const table& kind, std::string_view text);

  protobuf_file& file_;
  text_line line_;
  std::vector<place> places_ = std::vector<place>(std::size_t{1} << place_bits);
  table names_{perfetto_fields::interned_data::event_names, 0, {}};
  table texts_{perfetto_fields::interned_data::debug_annotation_string_values, 0, {}};
  table categories_{perfetto_fields::interned_data::event_categories, 0, {}};
  table arguments_{perfetto_fields::interned_data::debug_annotation_names, 0, {}};
};

}  // namespace tributary
