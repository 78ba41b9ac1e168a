// SPDX-License-Identifier: Apache-2.0
// The protobuf form of a Perfetto trace: packets of one sequence, which name texts by numbers.
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <protozero/pbf_builder.hpp>

#include <tributary/trace/detail_cache.h>
#include <tributary/trace/perfetto_fields.h>
#include <tributary/trace/perfetto_interner.h>
#include <tributary/trace/perfetto_writer.h>
#include <tributary/trace/protobuf_bytes.h>

namespace tributary {
namespace {

using namespace perfetto_fields;  // NOLINT(google-build-using-namespace)

template <class Field>
using builder = protozero::pbf_builder<Field>;

constexpr std::uint64_t nanoseconds_of_a_cycle = 1000;

/// An argument for each detail.
struct detail_arguments {
  const trace_catalog& catalog;
  perfetto_interner& texts;

  std::string operator()(const trace_event& event) const {
    std::string fields;
    builder<track_event> into(fields);
    const auto show = [&](const char* detail, std::uint64_t value, const std::string* name) {
      builder<debug_annotation> argument(into, track_event::debug_annotations);
      argument.add_uint64(debug_annotation::name_iid, texts.argument_of(detail));
      if (name != nullptr) {
        argument.add_uint64(debug_annotation::string_value_iid, texts.text_of(*name));
      } else {
        argument.add_uint64(debug_annotation::uint_value, value);
      }
    };
    catalog.for_each_detail(event, show);
    return fields;
  }
};

class perfetto_protobuf final : public perfetto_writer {
 public:
  perfetto_protobuf(const std::string& path, const trace_catalog& catalog)
      : file_(path), texts_(file_), details_({catalog, texts_}) {
    begin_sequence();
    // The numbers that `argument` has.
    for (const char* const name : {"identity", "parent", "address", "value", "open"}) {
      texts_.argument_of(name);
    }
  }

  void name_process(std::uint32_t process, const std::string& name, track_id place) override {
    const auto describe = [&](builder<track_descriptor>& described) {
      described.add_uint64(track_descriptor::uuid, track_of_process(process));
      described.add_int32(track_descriptor::sibling_order_rank, static_cast<std::int32_t>(place));
      builder<process_descriptor> its(described, track_descriptor::process);
      its.add_int32(process_descriptor::pid, static_cast<std::int32_t>(process));
      its.add_int32(process_descriptor::legacy_sort_index, static_cast<std::int32_t>(place));
      its.add_string(process_descriptor::process_name, name);
    };
    write_descriptor(describe);
  }
  void name_thread(const perfetto_thread& thread, const std::string& name,
                   track_id place) override {
    const auto describe = [&](builder<track_descriptor>& described) {
      described.add_uint64(track_descriptor::uuid, thread.number);
      described.add_uint64(track_descriptor::parent_uuid, track_of_process(thread.process));
      described.add_int32(track_descriptor::sibling_order_rank, static_cast<std::int32_t>(place));
      builder<thread_descriptor> its(described, track_descriptor::thread);
      its.add_int32(thread_descriptor::pid, static_cast<std::int32_t>(thread.process));
      its.add_int64(thread_descriptor::tid, thread.number);
      its.add_int32(thread_descriptor::legacy_sort_index, static_cast<std::int32_t>(place));
      its.add_string(thread_descriptor::thread_name, name);
    };
    write_descriptor(describe);
  }

  void add(const perfetto_slice& slice) override {
    const named_texts texts = texts_of(slice);
    if (slice.arrows == nullptr || slice.arrows->empty()) {
      write<false>(slice, texts);
    } else {
      write<true>(slice, texts);
    }
  }

  /// Arrows belong to slices: one that is not shown has none.
  void add(const perfetto_thread& /*thread*/, const perfetto_arrow& /*arrow*/) override {}

  void begin(const perfetto_graph& graph, track_id place) override {
    write_descriptor([&](builder<track_descriptor>& described) {
      described.add_uint64(track_descriptor::uuid, track_of_graph(graph.number));
      described.add_string(track_descriptor::name, graph.name);
      described.add_uint64(track_descriptor::parent_uuid, track_of_process(graph.process));
      described.add_int32(track_descriptor::sibling_order_rank, static_cast<std::int32_t>(place));
      described.add_message(track_descriptor::counter, std::string());
    });
  }
  void add(const perfetto_graph& graph, cycle_t cycle, std::uint64_t value) override {
    write_packet([&](builder<trace_packet>& packet) {
      packet.add_uint64(trace_packet::timestamp, cycle * nanoseconds_of_a_cycle);
      packet.add_uint32(trace_packet::sequence_flags, needs_incremental_state);
      builder<track_event> event(packet, trace_packet::track_event);
      event.add_uint64(track_event::type, counter_sample);
      event.add_uint64(track_event::track_uuid, track_of_graph(graph.number));
      event.add_int64(track_event::counter_value, static_cast<std::int64_t>(value));
    });
  }

  void finish(bool partial) override {
    const auto attributes = [&](builder<trace_packet>& packet) {
      builder<trace_attributes> all(packet, trace_packet::trace_attributes);
      const auto add = [&all](const char* key, const std::string& value) {
        builder<attribute> one(all, trace_attributes::attribute);
        one.add_string(attribute::key, key);
        one.add_string(attribute::string_value, value);
      };
      add("format", format);
      add("time", time);
      add("partial", partial ? "true" : "false");
    };
    write_packet(attributes);
    file_.commit();
  }

 private:
  /// What every slice may have; arguments of details come behind.
  enum class argument : std::uint32_t { identity = 1, parent, address, value, open };

  /// What is the same in all events of a thread; its slices are of one kind.
  struct thread_fields {
    protobuf_prefix begin;
    protobuf_prefix end;
  };
  /// What a slice says, by numbers.
  struct named_texts {
    const thread_fields* thread = nullptr;
    std::uint32_t name = 0;
    std::uint32_t identity = 0;
    std::uint32_t parent = 0;              // 0 for none
    const std::string* details = nullptr;  // of an event that is not told alone
  };
  /// Two packets with their fields, and three arguments of two fields and a length.
  static constexpr std::size_t most_of_slice = 30 * protobuf_file::most_of_field;

  static std::uint64_t track_of_process(std::uint32_t process) {
    constexpr std::uint64_t behind_threads = std::uint64_t{1} << 32U;
    return behind_threads | process;
  }
  static std::uint64_t track_of_graph(std::uint32_t graph) {
    constexpr std::uint64_t behind_processes = std::uint64_t{1} << 33U;
    return behind_processes | graph;
  }

  /// Texts are forgotten, and tracks stand in the order of their ranks.
  void begin_sequence() {
    write_packet([](builder<trace_packet>& packet) {
      packet.add_uint32(trace_packet::sequence_flags, incremental_state_cleared);
      packet.add_bool(trace_packet::first_packet_on_sequence, true);
    });
    write_descriptor([](builder<track_descriptor>& root) {
      root.add_uint64(track_descriptor::uuid, 0);
      root.add_enum(track_descriptor::process_ordering, explicit_ordering);
      root.add_enum(track_descriptor::thread_ordering, explicit_ordering);
    });
  }
  template <class Describe>
  void write_descriptor(const Describe& describe) {
    write_packet([&](builder<trace_packet>& packet) {
      builder<track_descriptor> described(packet, trace_packet::track_descriptor);
      describe(described);
    });
  }
  template <class Fill>
  void write_packet(const Fill& fill) {
    std::string bytes;
    {
      builder<trace> all(bytes);
      builder<trace_packet> packet(all, trace::packet);
      packet.add_uint32(trace_packet::trusted_packet_sequence_id, sequence);
      fill(packet);
    }
    file_.write(bytes);
  }

  const thread_fields& fields_of(const perfetto_slice& slice) {
    const std::size_t number = slice.where.number;
    if (number >= threads_.size()) threads_.resize(number + 1);
    thread_fields& its = threads_[number];
    if (its.begin.empty()) {
      const std::uint32_t category = texts_.category_of(slice.kind);
      its.begin = protobuf_cursor::prefix([&](protobuf_cursor& into) {
        into.varint(track_event::type, slice_begin);
        into.varint(track_event::track_uuid, number);
        into.varint(track_event::category_iids, category);
      });
      its.end = protobuf_cursor::prefix([&](protobuf_cursor& into) {
        into.varint(track_event::type, slice_end);
        into.varint(track_event::track_uuid, number);
      });
    }
    return its;
  }

  named_texts texts_of(const perfetto_slice& slice) {
    named_texts texts;
    texts.thread = &fields_of(slice);
    const perfetto_interner::numbers title = texts_.of(slice.title);
    texts.name = title.name;
    const trace_identity identity = slice.about == nullptr ? slice.identity : slice.about->identity;
    const bool is_in_title = slice.title.has_identity && slice.title.identity == identity;
    texts.identity = is_in_title ? title.text : texts_.text_of(identity);
    if (slice.about == nullptr) return texts;
    if (!slice.about->parent.none()) texts.parent = texts_.text_of(slice.about->parent);
    texts.details = &details_.of(*slice.about);
    return texts;
  }

  /// A packet for the begin and one for the end. The compiler keeps the cursor in a register as
  /// long as all that is called here is called once.
  template <bool HasArrows>
  void write(const perfetto_slice& slice, const named_texts& texts) {
    constexpr std::size_t length = HasArrows ? 4 : 2;
    const std::size_t more = (texts.details == nullptr ? 0 : texts.details->size()) +
                             (HasArrows ? slice.arrows->size() : 0) * protobuf_file::most_of_field;
    protobuf_cursor into = file_.begin(most_of_slice + more);
    add_packet<length>(into, slice.begin, [&] {
      into.append(texts.thread->begin);
      into.varint(track_event::name_iid, texts.name);
      add_text(into, argument::identity, texts.identity);
      if (texts.parent != 0) add_text(into, argument::parent, texts.parent);
      if (texts.details != nullptr) {
        add_words(into, *slice.about);
        into.append(*texts.details);
      }
      if (slice.is_open) add_argument(into, argument::open, debug_annotation::bool_value, 1);
      if constexpr (HasArrows) add_arrows(into, slice, true);
    });
    add_packet<HasArrows ? 4 : 1>(into, slice.end, [&] {
      into.append(texts.thread->end);
      if constexpr (HasArrows) add_arrows(into, slice, false);
    });
    file_.end(into);
  }
  /// `Length`: bytes of its length.
  template <std::size_t Length, class Fill>
  static void add_packet(protobuf_cursor& into, cycle_t cycle, const Fill& fill) {
    into.message<Length>(trace::packet, [&] {
      into.varint(trace_packet::timestamp, cycle * nanoseconds_of_a_cycle);
      into.varint(trace_packet::trusted_packet_sequence_id, sequence);
      into.varint(trace_packet::sequence_flags, needs_incremental_state);
      into.message<Length>(trace_packet::track_event, fill);
    });
  }
  static void add_argument(protobuf_cursor& into, argument name, debug_annotation field,
                           std::uint64_t value) {
    into.message<1>(track_event::debug_annotations, [&] {
      into.varint(debug_annotation::name_iid, static_cast<std::uint32_t>(name));
      into.varint(field, value);
    });
  }
  static void add_text(protobuf_cursor& into, argument name, std::uint32_t text) {
    add_argument(into, name, debug_annotation::string_value_iid, text);
  }
  static void add_words(protobuf_cursor& into, const trace_event& about) {
    constexpr debug_annotation hexadecimal = debug_annotation::pointer_value;
    if (about.kind->has_address) add_argument(into, argument::address, hexadecimal, about.address);
    if (about.kind->has_value) add_argument(into, argument::value, hexadecimal, about.value);
  }

  /// Readers follow an arrow in the order of packets: from the begin of its first slice, to the
  /// begin of those that it meets there, and else to the end.
  static void add_arrows(protobuf_cursor& into, const perfetto_slice& slice, bool at_begin) {
    for (const perfetto_arrow& each : *slice.arrows) {
      const bool is_end = each.is == perfetto_arrow::part::end;
      const bool is_at_begin =
          each.is == perfetto_arrow::part::begin || (each.cycle == slice.begin && !is_end);
      if (is_at_begin != at_begin) continue;
      into.fixed64(is_end ? track_event::terminating_flow_ids : track_event::flow_ids, each.id);
    }
  }

  protobuf_file file_;
  perfetto_interner texts_;
  detail_cache<detail_arguments> details_;
  std::vector<thread_fields> threads_;  // by number
};

}  // namespace

std::unique_ptr<perfetto_writer> open_perfetto_protobuf(const std::string& path,
                                                        const trace_catalog& catalog) {
  return std::make_unique<perfetto_protobuf>(path, catalog);
}

}  // namespace tributary
