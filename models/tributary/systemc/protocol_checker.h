// SPDX-License-Identifier: Apache-2.0
// The rules of the TLM-2.0 base protocol on one hop, and whether they are kept.
#pragma once

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <tributary/systemc/fetch_op.h>
#include <tributary/systemc/systemc.h>

namespace tributary {

class statistics_group;

/// What a checker holds a hop to; the table is protocol_rules.def.
enum class protocol_rule : std::uint8_t {
#define TRIBUTARY_PROTOCOL_RULE(name, clause, sentence) name,
#include <tributary/systemc/protocol_rules.def>
};

/// Number of rules.
inline constexpr std::size_t protocol_rule_count = 0
#define TRIBUTARY_PROTOCOL_RULE(name, clause, sentence) +1
#include <tributary/systemc/protocol_rules.def>
    ;

/// The name in reports, that of the enumerator.
std::string_view name_of(protocol_rule rule);
/// The clause of IEEE Std 1666-2011, "15.2.4"; "-" for a rule of this library's own.
std::string_view clause_of(protocol_rule rule);
/// What the rule demands.
std::string_view sentence_of(protocol_rule rule);

/// One breach of a rule.
struct protocol_violation {
  protocol_rule rule = protocol_rule::phase_path;
  /// Which payload object; only its address is meant, the object may have ended. Null for an
  /// invalidation.
  const tlm::tlm_generic_payload* payload = nullptr;
  /// When the call was made, and when it is or would have been effective.
  sc_core::sc_time time;
  sc_core::sc_time effective;
  /// The report: rule, clause, what happened, the transaction, both times.
  std::string text;
};

/// The rules of one hop, kept from the calls and returns that pass over it; a protocol_monitor
/// tells it of each. Reads payloads only while their sender must hold them.
class protocol_checker {
 public:
  using payload_type = tlm::tlm_generic_payload;
  using violation_listener = std::function<void(const protocol_violation&)>;

  /// `name` heads every report.
  explicit protocol_checker(std::string name);

  /// Violations go to `listener` from now on and are no longer reported as errors under
  /// messages::protocol.
  void on_violation(violation_listener listener) { listener_ = std::move(listener); }
  /// A rule that this hop may break.
  void ignore(protocol_rule rule) { ignored_.set(static_cast<std::size_t>(rule)); }

  /// Transactions begun, by either transport call.
  std::uint64_t transactions() const { return transactions_; }
  /// Breaches of rules that are not ignored.
  std::uint64_t violations() const { return violations_; }
  /// Transactions begun and not ended.
  std::size_t outstanding() const { return records_.size(); }
  /// Adds these three to a group.
  void report(statistics_group& group) const;

  /// A call of nb_transport and how it returned.
  struct nonblocking_call {
    tlm::tlm_phase phase;
    sc_core::sc_time delay;
  };
  void forward_call(const payload_type& payload, const nonblocking_call& call);
  void forward_return(const payload_type& payload, const nonblocking_call& call,
                      const nonblocking_call& returned, tlm::tlm_sync_enum status);
  void backward_call(const payload_type& payload, const nonblocking_call& call);
  void backward_return(const payload_type& payload, const nonblocking_call& call,
                       const nonblocking_call& returned, tlm::tlm_sync_enum status);

  void blocking_call(const payload_type& payload, const sc_core::sc_time& delay);
  void blocking_return(const payload_type& payload, const sc_core::sc_time& delay);
  /// The call was left by an exception, as that of a thread which is killed.
  void blocking_unwound(const payload_type& payload);

  void dmi_call(const payload_type& payload, const tlm::tlm_dmi& descriptor);
  void dmi_return(const payload_type& payload, const tlm::tlm_dmi& descriptor, bool granted);
  void dmi_invalidation(std::uint64_t start, std::uint64_t end);

  void debug_call(const payload_type& payload);
  void debug_return(const payload_type& payload, unsigned count);

 private:
  enum class stage : std::uint8_t { blocking, request, requested, response };
  enum class path : std::uint8_t { forward, backward };

  /// The attributes that must stay, and copies of the arrays that must.
  struct image {
    tlm::tlm_command command = tlm::TLM_IGNORE_COMMAND;
    std::uint64_t address = 0;
    const unsigned char* data = nullptr;
    unsigned length = 0;
    const unsigned char* byte_enables = nullptr;
    unsigned byte_enable_length = 0;
    unsigned streaming_width = 0;
    std::vector<unsigned char> write_bytes;
    std::vector<unsigned char> enable_bytes;
    const fetch_op* request = nullptr;
    word_function function;
  };

  /// What must stay during a response.
  struct response_image {
    tlm::tlm_response_status status = tlm::TLM_INCOMPLETE_RESPONSE;
    std::vector<unsigned char> bytes;
    word_t result = 0;
    bool performed = false;
  };

  struct record {
    stage at = stage::request;
    image initial;
    response_image response;
    sc_core::sc_time last;
    // False once a pointer or length changed: what they give now may be no memory of anybody.
    bool arrays_readable = true;
  };

  static image image_of(const payload_type& payload);
  static void copy_arrays(image& each, const payload_type& payload);
  static response_image response_of(const payload_type& payload, bool arrays_readable);

  void violate(protocol_rule rule, const payload_type* payload, const std::string& problem);
  void demand(bool kept, protocol_rule rule, const payload_type& payload, const char* problem);
  std::string text_of(protocol_rule rule, const payload_type* payload,
                      const std::string& problem) const;

  void check_held(const payload_type& payload, bool nonblocking);
  void check_start(const payload_type& payload);
  void check_byte_enables(const payload_type& payload);
  void check_unchanged(record& each, const payload_type& payload);
  void check_arrays(record& each, const payload_type& payload);
  void check_response(const record& each, const payload_type& payload);
  void advance_to(record& each, const payload_type& payload, const sc_core::sc_time& effective);

  /// Whether the return is one that the phase of the call allows and that moves the transaction on.
  bool check_return(const payload_type& payload, const nonblocking_call& call,
                    const nonblocking_call& returned, tlm::tlm_sync_enum status);
  void pass_phase(path where, const payload_type& payload, const tlm::tlm_phase& phase);
  void begin_request(const payload_type& payload);
  void end_request(const payload_type& payload);
  void begin_response(const payload_type& payload);
  void end_response(const payload_type& payload);
  void complete_early(const payload_type& payload);
  void check_request_slot(const payload_type& payload);
  void check_response_slot(const payload_type& payload);
  void free_request_slot(const payload_type& payload);
  void free_response_slot(const payload_type& payload);
  void wrong_order(const payload_type& payload, const char* phase);

  record* find(const payload_type& payload);
  record& start(const payload_type& payload, stage at);
  void forget(const payload_type& payload);

  std::string name_;
  violation_listener listener_;
  std::bitset<protocol_rule_count> ignored_;
  std::unordered_map<const payload_type*, record> records_;
  const payload_type* requesting_ = nullptr;
  const payload_type* responding_ = nullptr;
  sc_core::sc_time request_end_;
  sc_core::sc_time response_end_;
  // Of the call or return that is being looked at.
  sc_core::sc_time effective_;
  std::uint64_t transactions_ = 0;
  std::uint64_t violations_ = 0;
};

}  // namespace tributary
