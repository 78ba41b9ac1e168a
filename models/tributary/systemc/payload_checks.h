// SPDX-License-Identifier: Apache-2.0
// What every target asks of a payload, whatever the transaction means.
#pragma once

#include <algorithm>

#include <tributary/systemc/messages.h>
#include <tributary/systemc/systemc.h>

namespace tributary {

/// Why no transaction of nb_transport can begin with `payload`, or null if one can: a target must
/// be able to hold it (IEEE 1666-2011, 14.5).
inline const char* holding_problem(const tlm::tlm_generic_payload& payload) {
  if (!payload.has_mm()) {
    return "BEGIN_REQ of a payload without a memory manager; give it one by set_mm, or take it "
           "from a payload_pool";
  }
  if (payload.get_ref_count() < 1) {
    return "BEGIN_REQ of a payload whose reference count is 0; acquire() it before";
  }
  return nullptr;
}

/// What is reported of a payload that begins a transaction while it serves another (14.5).
inline constexpr const char* begun_twice =
    "BEGIN_REQ of a payload whose transaction is still under way; wait for its end, or use another "
    "payload";

/// The same of a BEGIN_REQ during the request phase of another transaction (15.2.6).
inline constexpr const char* begun_early =
    "BEGIN_REQ before the END_REQ of the transaction before; wait for it";

/// Reports why `payload` begins no transaction, and answers its BEGIN_REQ.
inline tlm::tlm_sync_enum refuse_request(const char* socket, tlm::tlm_generic_payload& payload,
                                         const char* problem) {
  report_protocol(socket, problem);
  // The response of a transaction that is under way is its own.
  if (problem != begun_twice) payload.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
  return tlm::TLM_COMPLETED;
}

/// Whether transport_dbg can use the data of `payload`; reports it where not (11.3.4).
inline bool has_debug_data(const char* socket, const tlm::tlm_generic_payload& payload) {
  if (payload.get_data_ptr() != nullptr || payload.get_data_length() == 0) return true;
  report_protocol(socket,
                  "transport_dbg without a data pointer; set one to as many bytes as the "
                  "data length");
  return false;
}

/// The streaming width, at most the data length. Many initiators leave 0, which is illegal (14.15)
/// and means no streaming here.
inline unsigned streaming_width_of(const tlm::tlm_generic_payload& payload) {
  const unsigned width = payload.get_streaming_width();
  return width == 0 ? payload.get_data_length() : std::min(width, payload.get_data_length());
}

/// A common breach that does no harm: one warning a socket, under `messages::protocol`.
class tolerated_breach {
 public:
  void warn(const char* socket, const char* problem) {
    if (warned_) return;
    warned_ = true;
    SC_REPORT_WARNING(
        messages::protocol,
        seen_at_socket(socket, std::string(problem) + ". This socket warns once.").c_str());
  }

 private:
  bool warned_ = false;
};

/// Whether it is a read or write without a streaming width, which `warn_of_streaming_width` tells.
inline bool lacks_streaming_width(const tlm::tlm_generic_payload& payload) {
  return payload.get_streaming_width() == 0 && payload.get_command() != tlm::TLM_IGNORE_COMMAND &&
         payload.get_data_length() != 0;
}
/// Warns once of such a read or write.
inline void warn_of_streaming_width(tolerated_breach& breach, const char* socket) {
  breach.warn(socket,
              "A read or write has streaming width 0, which is taken for the data length. Set "
              "it to the data length");
}

}  // namespace tributary
