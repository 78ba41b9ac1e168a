// SPDX-License-Identifier: Apache-2.0
#include <tributary/systemc/memory_module.h>

#include <algorithm>

#include <tributary/sim/parameters.h>
#include <tributary/systemc/fetch_op.h>
#include <tributary/systemc/messages.h>

namespace tributary {
namespace {

memory_module_config checked(const memory_module_config& config) {
  check_ranges(config);
  if (config.address % word_bytes != 0 || config.size % word_bytes != 0) {
    throw configuration_error({"address", "", "address or size is not made of whole words",
                               "multiples of 8 bytes", "align both"});
  }
  return config;
}

/// Reads or writes a transaction that is more than a row of bytes.
void transfer_bytes(tlm::tlm_generic_payload& payload, std::uint64_t offset, byte_store& bytes) {
  const unsigned char* const enables = payload.get_byte_enable_ptr();
  unsigned char* const data = payload.get_data_ptr();
  for (unsigned i = 0; i < payload.get_data_length(); ++i) {
    if (enables != nullptr && enables[i % payload.get_byte_enable_length()] == TLM_BYTE_DISABLED) {
      continue;
    }
    const std::uint64_t at = offset + i % streaming_width_of(payload);
    if (payload.is_read()) {
      bytes.read(at, data + i, 1);
    } else {
      bytes.write(at, data + i, 1);
    }
  }
}

}  // namespace

void memory_module_config::bind(parameter_set& parameters) {
  using u64 = interval<std::uint64_t>;
  timing.bind(parameters);
  parameters.add("address", address, u64{0, ~std::uint64_t{0}}, "bytes",
                 "First byte address, a multiple of 8.");
  parameters.add("size", size, u64{word_bytes, address_limit}, "bytes", "Size, a multiple of 8.");
  parameters.add("dmi", dmi, "Whether initiators may have a pointer to its bytes.");
}

memory_module::memory_module(const sc_core::sc_module_name& name,
                             const memory_module_config& config)
    : timed_module(name),
      config_(make_or_report(*this, messages::configuration, [&] { return checked(config); })),
      bytes_(make_or_report(*this, messages::configuration,
                            [&] { return byte_store(config.size, config.dmi); })) {
  target_socket.bind(*this);
  SC_METHOD(progress);
  sensitive << event_;
  dont_initialize();
}

void memory_module::report(statistics_group& group) const {
  group.add("reads", counters_.reads, "transactions", "Reads served.");
  group.add("writes", counters_.writes, "transactions", "Writes served.");
  group.add("fetch_ops", counters_.fetch_ops, "transactions", "Fetch-and-phis performed.");
  group.add("refused", counters_.refused, "transactions", "Transactions answered with an error.");
}

// Approximately timed.

tlm::tlm_sync_enum memory_module::nb_transport_fw(tlm::tlm_generic_payload& payload,
                                                  tlm::tlm_phase& phase, sc_core::sc_time& delay) {
  if (phase == tlm::BEGIN_REQ) return begin_request(payload, phase, delay);
  if (phase != tlm::END_RESP) return tlm::TLM_ACCEPTED;  // of an extended protocol: ignorable
  if (responding_ != &payload) {
    report_protocol(target_socket.name(), "END_RESP of a transaction that is in no response phase");
    return tlm::TLM_ACCEPTED;
  }
  end_response(time_after(delay));
  return tlm::TLM_COMPLETED;
}

tlm::tlm_sync_enum memory_module::begin_request(tlm::tlm_generic_payload& payload,
                                                tlm::tlm_phase& phase, sc_core::sc_time& delay) {
  if (const char* const problem = problem_of(payload)) {
    return refuse_request(target_socket.name(), payload, problem);
  }
  if (period() == 0 || held_ != nullptr || responses_.size() >= config_.timing.pipeline) {
    held_ = &payload;
    held_from_ = time_after(delay);
    payload.acquire();
    return tlm::TLM_ACCEPTED;
  }
  const schedule times = start(payload, time_after(delay));
  if (times.response_begins <= times.request_ends && responses_.empty()) {
    delay = delay_to(times.response_begins);
    return tlm::TLM_COMPLETED;
  }
  payload.acquire();
  answer(payload, times.response_begins);
  phase = tlm::END_REQ;
  delay = delay_to(std::min(times.request_ends, times.response_begins));
  return tlm::TLM_UPDATED;
}

const char* memory_module::problem_of(const tlm::tlm_generic_payload& payload) const {
  bool inside = held_ == &payload;
  for (std::size_t i = 0; i < responses_.size(); ++i) inside |= responses_[i].payload == &payload;
  if (inside) return begun_twice;
  return held_ != nullptr ? begun_early : holding_problem(payload);
}

memory_module::schedule memory_module::start(tlm::tlm_generic_payload& payload, ticks when) {
  const ticks began = std::max(when, free_from_);
  free_from_ = began + config_.timing.interval * period();
  perform(payload);
  return {free_from_ - period(), began + (config_.timing.latency - 1) * period()};
}

void memory_module::start_held() {
  if (held_ == nullptr || responses_.size() >= config_.timing.pipeline) return;
  tlm::tlm_generic_payload& payload = *held_;
  held_ = nullptr;
  const schedule times = start(payload, std::max(held_from_, time()));
  answer(payload, times.response_begins);
  tlm::tlm_phase phase = tlm::END_REQ;
  sc_core::sc_time delay = delay_to(std::min(times.request_ends, times.response_begins));
  target_socket->nb_transport_bw(payload, phase, delay);
}

void memory_module::answer(tlm::tlm_generic_payload& payload, ticks due) {
  responses_.push({&payload, due});
  if (responses_.size() == 1) wake();
}

void memory_module::wake() {
  if (responses_.empty() || responding_ != nullptr) return;
  event_.notify(delay_to(std::max(responses_.front().due, response_free_from_)));
}

void memory_module::progress() {
  while (!responses_.empty() && responding_ == nullptr && responses_.front().due <= time() &&
         response_free_from_ <= time()) {
    respond();
  }
  if (period() != 0) start_held();
  wake();
}

void memory_module::respond() {
  tlm::tlm_generic_payload& payload = *responses_.front().payload;
  responding_ = &payload;
  tlm::tlm_phase phase = tlm::BEGIN_RESP;
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  const tlm::tlm_sync_enum returned = target_socket->nb_transport_bw(payload, phase, delay);
  const bool ended =
      returned == tlm::TLM_COMPLETED || (returned == tlm::TLM_UPDATED && phase == tlm::END_RESP);
  if (ended && responding_ == &payload) end_response(time_after(delay));
}

void memory_module::end_response(ticks when) {
  tlm::tlm_generic_payload& payload = *responding_;
  responding_ = nullptr;
  response_free_from_ = when;
  responses_.pop();
  payload.release();
  if (held_ != nullptr) {
    held_from_ = std::max(held_from_, when);
    event_.notify(delay_to(held_from_));
  }
  wake();
}

// Loosely timed, debug, direct.

void memory_module::b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  wait_for_period();
  perform(payload);
  delay += sc_core::sc_time::from_value(config_.timing.latency * period());
}

unsigned memory_module::transport_dbg(tlm::tlm_generic_payload& payload) {
  const std::uint64_t address = payload.get_address();
  if (!has_debug_data(target_socket.name(), payload) || !holds(address, 1)) return 0;
  const std::uint64_t offset = address - config_.address;
  const auto length = static_cast<unsigned>(
      std::min<std::uint64_t>(payload.get_data_length(), config_.size - offset));
  if (payload.is_read()) {
    bytes_.read(offset, payload.get_data_ptr(), length);
  } else if (payload.is_write()) {
    bytes_.write(offset, payload.get_data_ptr(), length);
  } else {
    return 0;
  }
  return length;
}

bool memory_module::get_direct_mem_ptr(tlm::tlm_generic_payload&, tlm::tlm_dmi& dmi) {
  dmi.init();
  dmi.set_start_address(config_.address);
  dmi.set_end_address(config_.address + config_.size - 1);
  if (!config_.dmi) {
    dmi.allow_read_write();  // what is refused
    return false;
  }
  const auto latency = sc_core::sc_time::from_value(config_.timing.latency * period());
  dmi.set_dmi_ptr(bytes_.data());
  dmi.set_read_latency(latency);
  dmi.set_write_latency(latency);
  dmi.allow_read_write();
  return true;
}

// What a transaction does.

void memory_module::perform(tlm::tlm_generic_payload& payload) {
  const bool asks = payload.get_extension<fetch_op>() != nullptr;
  const bool transfers = !asks && (payload.is_read() || payload.is_write());
  tlm::tlm_response_status response = tlm::TLM_OK_RESPONSE;
  if (transfers) {
    response = transfer(payload);
  } else if (asks) {
    response = perform_fetch_op_on_word(payload);
  } else if (payload.get_command() != tlm::TLM_IGNORE_COMMAND) {
    response = tlm::TLM_COMMAND_ERROR_RESPONSE;
  }
  if (config_.dmi) payload.set_dmi_allowed(true);
  payload.set_response_status(response);
  if (payload.is_response_error()) {
    ++counters_.refused;
  } else if (transfers) {
    ++(payload.is_read() ? counters_.reads : counters_.writes);
  } else if (asks) {
    ++counters_.fetch_ops;
  }
}

tlm::tlm_response_status memory_module::perform_fetch_op_on_word(
    tlm::tlm_generic_payload& payload) {
  const std::uint64_t address = payload.get_address();
  if (!holds(address, word_bytes)) return tlm::TLM_ADDRESS_ERROR_RESPONSE;
  word_t value = bytes_.word(address - config_.address);
  perform_fetch_op(payload, reinterpret_cast<unsigned char*>(&value));
  if (payload.is_response_ok()) bytes_.set_word(address - config_.address, value);
  return payload.get_response_status();
}

tlm::tlm_response_status memory_module::transfer(tlm::tlm_generic_payload& payload) {
  const std::uint64_t address = payload.get_address();
  const unsigned length = payload.get_data_length();
  const unsigned width = streaming_width_of(payload);
  if (lacks_streaming_width(payload))
    warn_of_streaming_width(no_streaming_width_, target_socket.name());
  if (width == 0) return tlm::TLM_BURST_ERROR_RESPONSE;
  if (payload.get_byte_enable_ptr() != nullptr && payload.get_byte_enable_length() == 0) {
    return tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE;
  }
  if (!holds(address, width)) return tlm::TLM_ADDRESS_ERROR_RESPONSE;
  if (payload.get_data_ptr() == nullptr) return tlm::TLM_GENERIC_ERROR_RESPONSE;
  const std::uint64_t offset = address - config_.address;
  if (width != length || payload.get_byte_enable_ptr() != nullptr) {
    transfer_bytes(payload, offset, bytes_);
  } else if (payload.is_read()) {
    bytes_.read(offset, payload.get_data_ptr(), length);
  } else {
    bytes_.write(offset, payload.get_data_ptr(), length);
  }
  return tlm::TLM_OK_RESPONSE;
}

}  // namespace tributary
