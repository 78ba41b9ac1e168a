// SPDX-License-Identifier: Apache-2.0
#include <tributary/trace/perfetto_interner.h>

namespace tributary {

using perfetto_fields::interned_text;
using perfetto_fields::trace;
using perfetto_fields::trace_packet;

void perfetto_interner::intern(const perfetto_title& title, place& known) {
  if (known.texts.text == 0 || known.identity != title.identity) intern(title.identity, known);
  known.words = title.words.data();
  known.number = title.number;
  known.texts.name = ++names_.last;
  line_.begin(title.words.size() + text_line::most_digits + text_line::most_of_identity + 2);
  line_.append(title.words);
  if (title.number) {
    line_.append(' ');
    line_.decimal(*title.number);
  }
  if (!title.words.empty()) line_.append(' ');
  line_.append(title.identity);
  write(names_, line_.text());
}

void perfetto_interner::intern(trace_identity identity, place& known) {
  known = {};
  known.identity = identity;
  known.texts.text = ++texts_.last;
  line_.begin(text_line::most_of_identity);
  line_.append(identity);
  write(texts_, line_.text());
}

std::uint32_t perfetto_interner::number_in(table& kind, std::string_view text) {
  const auto found = kind.known.find(text);
  if (found != kind.known.end()) return found->second;
  kind.known.emplace(text, ++kind.last);
  write(kind, text);
  return kind.last;
}

void perfetto_interner::write(const table& kind, std::string_view text) {
  protobuf_cursor into = file_.begin(6 * protobuf_file::most_of_field + text.size());
  into.message<4>(trace::packet, [&] {
    into.varint(trace_packet::trusted_packet_sequence_id, perfetto_fields::sequence);
    into.varint(trace_packet::sequence_flags, perfetto_fields::needs_incremental_state);
    into.message<4>(trace_packet::interned_data, [&] {
      into.message<4>(kind.field, [&] {
        into.varint(interned_text::iid, kind.last);
        into.text(interned_text::text, text);
      });
    });
  });
  file_.end(into);
}

}  // namespace tributary
