// SPDX-License-Identifier: Apache-2.0
#include <tributary/systemc/fetch_op.h>

#include <cstring>

namespace tributary {

void fetch_op::ask(const word_function& function) { *this = fetch_op(function); }

void fetch_op::perform_on(word_t& word) {
  answer(word);
  word = apply(function_, word);
}

void fetch_op::answer(word_t old_word) {
  result_ = old_word;
  performed_ = true;
}

void fetch_op::copy_from(const tlm::tlm_extension_base& other) {
  *this = static_cast<const fetch_op&>(other);
}

void set_fetch_op(tlm::tlm_generic_payload& payload, std::uint64_t address, unsigned char* data,
                  fetch_op& request) {
  payload.set_command(tlm::TLM_IGNORE_COMMAND);
  payload.set_address(address);
  payload.set_data_ptr(data);
  payload.set_data_length(word_bytes);
  payload.set_streaming_width(word_bytes);
  payload.set_byte_enable_ptr(nullptr);
  payload.set_byte_enable_length(0);
  payload.set_dmi_allowed(false);
  payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  payload.set_extension(&request);
}

tlm::tlm_response_status fetch_op_status(const tlm::tlm_generic_payload& payload) {
  if (payload.get_command() != tlm::TLM_IGNORE_COMMAND) return tlm::TLM_COMMAND_ERROR_RESPONSE;
  if (payload.get_data_length() != word_bytes || payload.get_streaming_width() < word_bytes) {
    return tlm::TLM_BURST_ERROR_RESPONSE;
  }
  if (payload.get_address() % word_bytes != 0) return tlm::TLM_ADDRESS_ERROR_RESPONSE;
  if (payload.get_byte_enable_ptr() != nullptr) return tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE;
  if (payload.get_data_ptr() == nullptr) return tlm::TLM_GENERIC_ERROR_RESPONSE;
  return tlm::TLM_OK_RESPONSE;
}

void perform_fetch_op(tlm::tlm_generic_payload& payload, unsigned char* word) {
  const tlm::tlm_response_status status = fetch_op_status(payload);
  payload.set_response_status(status);
  if (status != tlm::TLM_OK_RESPONSE) return;
  word_t value = 0;
  std::memcpy(&value, word, word_bytes);
  std::memcpy(payload.get_data_ptr(), word, word_bytes);
  payload.get_extension<fetch_op>()->perform_on(value);
  std::memcpy(word, &value, word_bytes);
}

}  // namespace tributary
