// SPDX-License-Identifier: Apache-2.0
// Numbers of the fields of Perfetto's messages that we write, by message (protos/perfetto/trace of
// github.com/google/perfetto; the test compares what is read by Perfetto's own descriptors).
#pragma once

#include <cstdint>

#include <protozero/types.hpp>

namespace tributary::perfetto_fields {

using tag = protozero::pbf_tag_type;

enum class trace : tag { packet = 1 };

enum class trace_packet : tag {
  timestamp = 8,  // ns
  trusted_packet_sequence_id = 10,
  track_event = 11,
  interned_data = 12,
  sequence_flags = 13,
  track_descriptor = 60,
  first_packet_on_sequence = 87,
  trace_attributes = 126,
};
constexpr std::uint32_t sequence = 1;                   // the one of all our packets
constexpr std::uint32_t incremental_state_cleared = 1;  // of `sequence_flags`
constexpr std::uint32_t needs_incremental_state = 2;

enum class track_descriptor : tag {
  uuid = 1,
  name = 2,
  process = 3,
  thread = 4,
  parent_uuid = 5,
  counter = 8,
  sibling_order_rank = 12,
  process_ordering = 19,
  thread_ordering = 20,
};
constexpr std::int32_t explicit_ordering = 1;  // of processes and threads

enum class process_descriptor : tag { pid = 1, legacy_sort_index = 3, process_name = 6 };

enum class thread_descriptor : tag { pid = 1, tid = 2, legacy_sort_index = 3, thread_name = 5 };

enum class track_event : tag {
  category_iids = 3,
  debug_annotations = 4,
  type = 9,
  name_iid = 10,
  track_uuid = 11,
  counter_value = 30,
  flow_ids = 47,
  terminating_flow_ids = 48,
};
constexpr std::uint64_t slice_begin = 1;  // of `type`
constexpr std::uint64_t slice_end = 2;
constexpr std::uint64_t counter_sample = 4;

enum class debug_annotation : tag {
  name_iid = 1,
  bool_value = 2,
  uint_value = 3,
  pointer_value = 7,
  string_value_iid = 17,
};

enum class interned_data : tag {
  event_categories = 1,
  event_names = 2,
  debug_annotation_names = 3,
  debug_annotation_string_values = 29,
};
/// Of every kind of interned text.
enum class interned_text : tag { iid = 1, text = 2 };

enum class trace_attributes : tag { attribute = 1 };
enum class attribute : tag { key = 1, long_value = 2, string_value = 3 };

}  // namespace tributary::perfetto_fields
