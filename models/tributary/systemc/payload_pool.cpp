// SPDX-License-Identifier: Apache-2.0
#include <tributary/systemc/payload_pool.h>

#include <array>
#include <cstring>

namespace tributary {
namespace {

void set_transfer(tlm::tlm_generic_payload& payload, tlm::tlm_command command,
                  std::uint64_t address, unsigned char* data, unsigned length) {
  payload.set_command(command);
  payload.set_address(address);
  payload.set_data_ptr(data);
  payload.set_data_length(length);
  payload.set_streaming_width(length);
}

}  // namespace

class payload_pool::pooled_payload final : public tlm::tlm_generic_payload {
 public:
  explicit pooled_payload(payload_pool* pool) : tlm_generic_payload(pool) {}
  pooled_payload(const pooled_payload&) = delete;
  pooled_payload& operator=(const pooled_payload&) = delete;
  // The base class frees the extensions that it finds, and this one is no block of its own.
  ~pooled_payload() override { drop_request(); }

  unsigned char* bytes() { return bytes_.data(); }
  fetch_op& request() { return request_; }

  void drop_request() {
    if (get_extension<fetch_op>() == &request_) clear_extension<fetch_op>();
  }

 private:
  alignas(word_t) std::array<unsigned char, word_bytes> bytes_{};
  fetch_op request_;
};

payload_pool::payload_pool() = default;
payload_pool::~payload_pool() = default;

payload_pool::pooled_payload& payload_pool::take() {
  if (idle_.empty()) {
    all_.push_back(std::make_unique<pooled_payload>(this));
    // So that no release ever allocates.
    idle_.reserve(all_.capacity());
    idle_.push_back(all_.back().get());
  }
  pooled_payload& payload = *idle_.back();
  idle_.pop_back();
  payload.acquire();
  return payload;
}

tlm::tlm_generic_payload& payload_pool::acquire() { return take(); }

tlm::tlm_generic_payload& payload_pool::acquire(tlm::tlm_command command, std::uint64_t address,
                                                unsigned char* data, unsigned length) {
  pooled_payload& payload = take();
  set_transfer(payload, command, address, data, length);
  return payload;
}

tlm::tlm_generic_payload& payload_pool::acquire_word(tlm::tlm_command command,
                                                     std::uint64_t address, word_t value) {
  pooled_payload& payload = take();
  std::memcpy(payload.bytes(), &value, word_bytes);
  set_transfer(payload, command, address, payload.bytes(), word_bytes);
  return payload;
}

tlm::tlm_generic_payload& payload_pool::acquire_fetch_op(std::uint64_t address,
                                                         const word_function& function) {
  pooled_payload& payload = take();
  payload.request().ask(function);
  set_fetch_op(payload, address, payload.bytes(), payload.request());
  return payload;
}

word_t payload_pool::word_of(const tlm::tlm_generic_payload& payload) {
  word_t value = 0;
  std::memcpy(&value, payload.get_data_ptr(), word_bytes);
  return value;
}

void payload_pool::free(tlm::tlm_generic_payload* payload) {
  auto& returned = static_cast<pooled_payload&>(*payload);
  returned.drop_request();
  returned.reset();
  set_transfer(returned, tlm::TLM_IGNORE_COMMAND, 0, nullptr, 0);
  returned.set_byte_enable_ptr(nullptr);
  returned.set_byte_enable_length(0);
  returned.set_dmi_allowed(false);
  returned.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  returned.set_gp_option(tlm::TLM_MIN_PAYLOAD);
  idle_.push_back(&returned);
}

}  // namespace tributary
