// SPDX-License-Identifier: Apache-2.0
#include <tributary/systemc/fetch_op.h>

#include <array>
#include <cstring>
#include <memory>
#include <vector>

#include "support/systemc_test.h"

namespace tributary {
namespace {

using tlm::tlm_generic_payload;
using tlm::tlm_response_status;

class fetch_op_test : public testing::systemc_test {
 protected:
  ~fetch_op_test() override { payload_.clear_extension<fetch_op>(); }

  word_t data() const {
    word_t value = 0;
    std::memcpy(&value, data_.data(), word_bytes);
    return value;
  }

  fetch_op request_;
  std::array<unsigned char, word_bytes> data_{};
  tlm_generic_payload payload_;
};

TEST_F(fetch_op_test, carries_the_function_of_an_operation) {
  EXPECT_EQ(fetch_op().function(), word_function{});
  EXPECT_EQ(fetch_op::of(operation::fetch_or, 6).function(), function_of(operation::fetch_or, 6));
  EXPECT_EQ(fetch_op::of(operation::compare_and_swap, 1, 2).function(),
            (word_function{form::compare_and_swap, 1, 2}));
}

TEST_F(fetch_op_test, carries_a_function_that_is_no_operation) {
  const word_function composed =
      compose(function_of(operation::fetch_and, 12), function_of(operation::fetch_xor, 5));
  fetch_op request(composed);
  word_t word = 10;
  request.perform_on(word);
  EXPECT_EQ(word, (10U & 12U) ^ 5U);
  EXPECT_EQ(request.result(), 10U);
}

TEST_F(fetch_op_test, performs_every_operation_as_the_table_says) {
  for (std::size_t i = 0; i < operation_count; ++i) {
    const auto op = static_cast<operation>(i);
    fetch_op request = fetch_op::of(op, 0xf0, 0x3c);
    EXPECT_FALSE(request.performed());
    word_t word = 0x5a;
    request.perform_on(word);
    EXPECT_TRUE(request.performed()) << name_of(op);
    EXPECT_EQ(request.result(), 0x5aU) << name_of(op);
    EXPECT_EQ(word, apply(function_of(op, 0xf0, 0x3c), 0x5a)) << name_of(op);
  }
}

TEST_F(fetch_op_test, asks_anew) {
  fetch_op request = fetch_op::of(operation::fetch_add, 1);
  request.answer(7);
  request.ask(function_of(operation::swap, 3));
  EXPECT_FALSE(request.performed());
  EXPECT_EQ(request.function(), function_of(operation::swap, 3));
}

TEST_F(fetch_op_test, is_cloned_and_copied_whole) {
  fetch_op request = fetch_op::of(operation::fetch_add, 4);
  request.answer(9);
  const std::unique_ptr<tlm::tlm_extension_base, void (*)(tlm::tlm_extension_base*)> clone(
      request.clone(), [](tlm::tlm_extension_base* extension) { extension->free(); });
  fetch_op copy;
  copy.copy_from(*clone);
  EXPECT_EQ(copy.function(), request.function());
  EXPECT_TRUE(copy.performed());
  EXPECT_EQ(copy.result(), 9U);
}

TEST_F(fetch_op_test, sets_every_attribute_of_a_used_payload) {
  payload_.set_response_status(tlm::TLM_BURST_ERROR_RESPONSE);
  payload_.set_dmi_allowed(true);
  payload_.set_byte_enable_ptr(data_.data());
  payload_.set_byte_enable_length(8);
  set_fetch_op(payload_, 0x40, data_.data(), request_);
  EXPECT_EQ(payload_.get_extension<fetch_op>(), &request_);
  EXPECT_EQ(payload_.get_response_status(), tlm::TLM_INCOMPLETE_RESPONSE);
  EXPECT_FALSE(payload_.is_dmi_allowed());
  EXPECT_EQ(fetch_op_status(payload_), tlm::TLM_OK_RESPONSE);
}

TEST_F(fetch_op_test, is_performed_on_bytes_of_any_alignment) {
  std::array<unsigned char, 11> memory{};
  const word_t before = 41;
  std::memcpy(&memory[3], &before, word_bytes);
  request_.ask(function_of(operation::fetch_add, 1));
  set_fetch_op(payload_, 0x40, data_.data(), request_);
  perform_fetch_op(payload_, &memory[3]);
  word_t after = 0;
  std::memcpy(&after, &memory[3], word_bytes);
  EXPECT_EQ(after, 42U);
  EXPECT_EQ(data(), 41U);
  EXPECT_EQ(request_.result(), 41U);
  EXPECT_EQ(payload_.get_response_status(), tlm::TLM_OK_RESPONSE);
}

TEST_F(fetch_op_test, refuses_a_payload_that_is_none) {
  struct wrong {
    void (*spoil)(tlm_generic_payload&);
    tlm_response_status status;
  };
  static unsigned char enables[1] = {TLM_BYTE_ENABLED};
  const std::vector<wrong> cases = {
      {[](auto& p) { p.set_read(); }, tlm::TLM_COMMAND_ERROR_RESPONSE},
      {[](auto& p) { p.set_data_length(4); }, tlm::TLM_BURST_ERROR_RESPONSE},
      {[](auto& p) { p.set_streaming_width(4); }, tlm::TLM_BURST_ERROR_RESPONSE},
      {[](auto& p) { p.set_address(0x44); }, tlm::TLM_ADDRESS_ERROR_RESPONSE},
      {[](auto& p) { p.set_byte_enable_ptr(enables); }, tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE},
      {[](auto& p) { p.set_data_ptr(nullptr); }, tlm::TLM_GENERIC_ERROR_RESPONSE},
  };
  for (const wrong& each : cases) {
    request_.ask(function_of(operation::fetch_add, 1));
    set_fetch_op(payload_, 0x40, data_.data(), request_);
    each.spoil(payload_);
    word_t word = 5;
    perform_fetch_op(payload_, reinterpret_cast<unsigned char*>(&word));
    EXPECT_EQ(payload_.get_response_status(), each.status);
    EXPECT_FALSE(request_.performed());
    EXPECT_EQ(word, 5U);
  }
}

}  // namespace
}  // namespace tributary
