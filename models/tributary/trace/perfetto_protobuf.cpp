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

#include <tributary/sim/text_file.h>
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
    identity_ = texts_.argument_of("identity");
    parent_ = texts_.argument_of("parent");
    address_ = texts_.argument_of("address");
    value_ = texts_.argument_of("value");
    open_ = texts_.argument_of("open");
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
    const thread_fields& its = fields_of(slice);
    const perfetto_interner::numbers title = texts_.of(slice.title);
    const trace_identity identity = slice.alone ? *slice.alone : slice.about->identity;
    const std::uint32_t text = slice.title.has_identity && slice.title.identity == identity
                                   ? title.text
                                   : texts_.text_of(identity);
    const bool has_parent = !slice.alone && !slice.about->parent.none();
    const std::uint32_t parent = has_parent ? texts_.text_of(slice.about->parent) : 0;
    const std::string* const details = slice.alone ? nullptr : &details_.of(*slice.about);
    packets_.begin(most_of_slice + (details == nullptr ? 0 : details->size()) +
                   (slice.arrows == nullptr ? 0 : slice.arrows->size()) *
                       protobuf_bytes::most_of_field);

    const packet_begin begin = begin_packet(slice.begin, its.begin);
    packets_.varint(track_event::name_iid, title.name);
    add_text(identity_, text);
    if (has_parent) add_text(parent_, parent);
    if (details != nullptr) {
      const event_kind& kind = *slice.about->kind;
      if (kind.has_address) add_word(address_, slice.about->address);
      if (kind.has_value) add_word(value_, slice.about->value);
      packets_.append(*details);
    }
    if (slice.is_open) add_argument(open_, debug_annotation::bool_value, 1);
    add_arrows(slice, true);
    end_packet(begin);

    const packet_begin end = begin_packet(slice.end, its.end);
    add_arrows(slice, false);
    end_packet(end);
    file_.write(packets_.bytes());
  }

  /// Arrows belong to slices: one that is not shown has none.
  void add(const perfetto_thread& /*thread*/, const perfetto_arrow& /*arrow*/) override {}

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
  /// What is the same in all packets of a thread, from the sequence on; its slices are of one kind.
  struct thread_fields {
    std::string begin;
    std::string end;
  };
  struct packet_begin {
    protobuf_bytes::message_begin packet;
    protobuf_bytes::message_begin event;
  };
  /// Two packets with their fields, and three arguments of two fields and a length.
  static constexpr std::size_t most_of_slice = 30 * protobuf_bytes::most_of_field;

  static std::uint64_t track_of_process(std::uint32_t process) {
    constexpr std::uint64_t behind_threads = std::uint64_t{1} << 32U;
    return behind_threads | process;
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
    if (threads_[number].begin.empty()) {
      const std::uint32_t category = texts_.category_of(slice.kind);
      builder<track_event> begin(threads_[number].begin);
      begin.add_enum(track_event::type, static_cast<std::int32_t>(slice_begin));
      begin.add_uint64(track_event::track_uuid, number);
      begin.add_uint64(track_event::category_iids, category);
      builder<track_event> end(threads_[number].end);
      end.add_enum(track_event::type, static_cast<std::int32_t>(slice_end));
      end.add_uint64(track_event::track_uuid, number);
    }
    return threads_[number];
  }

  packet_begin begin_packet(cycle_t cycle, const std::string& event_fields) {
    packet_begin begun{};
    begun.packet = packets_.begin_message(trace::packet);
    packets_.varint(trace_packet::timestamp, cycle * nanoseconds_of_a_cycle);
    packets_.varint(trace_packet::trusted_packet_sequence_id, sequence);
    packets_.varint(trace_packet::sequence_flags, needs_incremental_state);
    begun.event = packets_.begin_message(trace_packet::track_event);
    packets_.append(event_fields);
    return begun;
  }
  void end_packet(const packet_begin& begun) {
    packets_.end(begun.event);
    packets_.end(begun.packet);
  }

  void add_argument(std::uint32_t name, debug_annotation field, std::uint64_t value) {
    const auto argument = packets_.begin_message(track_event::debug_annotations);
    packets_.varint(debug_annotation::name_iid, name);
    packets_.varint(field, value);
    packets_.end(argument);
  }
  void add_text(std::uint32_t name, std::uint32_t text) {
    add_argument(name, debug_annotation::string_value_iid, text);
  }
  void add_word(std::uint32_t name, std::uint64_t word) {
    add_argument(name, debug_annotation::pointer_value, word);
  }

  /// Readers follow an arrow in the order of packets: from the begin of its first slice, to the
  /// begin of those that it meets there, and else to the end.
  void add_arrows(const perfetto_slice& slice, bool at_begin) {
    if (slice.arrows == nullptr) return;
    for (const perfetto_arrow& each : *slice.arrows) {
      const bool is_end = each.is == perfetto_arrow::part::end;
      const bool is_at_begin =
          each.is == perfetto_arrow::part::begin || (each.cycle == slice.begin && !is_end);
      if (is_at_begin != at_begin) continue;
      packets_.fixed64(is_end ? track_event::terminating_flow_ids : track_event::flow_ids, each.id);
    }
  }

  text_writer file_;
  perfetto_interner texts_;
  detail_cache<detail_arguments> details_;
  protobuf_bytes packets_;
  std::vector<thread_fields> threads_;  // by number
  std::uint32_t identity_ = 0;          // names of arguments
  std::uint32_t parent_ = 0;
  std::uint32_t address_ = 0;
  std::uint32_t value_ = 0;
  std::uint32_t open_ = 0;
};

}  // namespace

std::unique_ptr<perfetto_writer> open_perfetto_protobuf(const std::string& path,
                                                        const trace_catalog& catalog) {
  return std::make_unique<perfetto_protobuf>(path, catalog);
}

}  // namespace tributary
