// SPDX-License-Identifier: Apache-2.0
#include <tributary/systemc/payload_words.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include <tributary/sim/random_stream.h>

#include "support/systemc_test.h"

namespace tributary {
namespace {

/// Two regions that touch, then nothing; aliases of the first page.
address_map_config regions() {
  address_map_config config;
  config.regions.resize(2);
  config.regions[0] = {"low", 0, 4096, region_mapping::interleaved, 0, true, false};
  config.regions[1] = {"high", 4096, 4096, region_mapping::module, 1, false, false};
  return config;
}

class payload_words_test : public testing::systemc_test {
 protected:
  payload_words_test() {
    for (std::size_t i = 0; i < memory_.size(); ++i) {
      memory_[i] = static_cast<unsigned char>(i * 7 + 3);
    }
  }

  tlm::tlm_generic_payload& transact(tlm::tlm_command command, std::uint64_t address,
                                     std::size_t length) {
    data_.assign(length, 0xee);
    payload_.set_command(command);
    payload_.set_address(address);
    payload_.set_data_ptr(data_.data());
    payload_.set_data_length(static_cast<unsigned>(length));
    payload_.set_streaming_width(static_cast<unsigned>(length));
    payload_.set_byte_enable_ptr(nullptr);
    return payload_;
  }

  tlm::tlm_response_status open() { return words_.open(payload_, map_, aliases_, registers_); }

  /// Carries out what was opened on the bytes of the memory. Returns the number of requests.
  std::size_t perform() {
    std::size_t made = 0;
    for (std::size_t place = 0; place < words_.count(); ++place) {
      access request;
      if (!words_.request(place, request)) continue;
      ++made;
      word_t old = 0;
      std::memcpy(&old, memory_.data() + request.address, word_bytes);
      const word_t next = apply(request.function, old);
      std::memcpy(memory_.data() + request.address, &next, word_bytes);
      words_.answer(place, old);
    }
    return made;
  }

  address_map map_{regions(), 2};
  alias_map aliases_{{true, std::uint64_t{1} << 20, 4096, 0}, map_};
  alias_registers registers_;
  tlm::tlm_generic_payload payload_;
  std::vector<unsigned char> data_;
  std::vector<unsigned char> enables_;
  std::array<unsigned char, 8192> memory_{};
  payload_words words_;
};

TEST_F(payload_words_test, a_read_of_one_word_is_one_load) {
  transact(tlm::TLM_READ_COMMAND, 16, 8);
  ASSERT_EQ(open(), tlm::TLM_OK_RESPONSE);
  ASSERT_EQ(words_.count(), 1U);
  access request;
  ASSERT_TRUE(words_.request(0, request));
  EXPECT_EQ(request.address, 16U);
  EXPECT_EQ(request.function, word_function{});
}

TEST_F(payload_words_test, a_write_of_one_word_is_a_store_and_of_less_a_merge) {
  transact(tlm::TLM_WRITE_COMMAND, 16, 8);
  ASSERT_EQ(open(), tlm::TLM_OK_RESPONSE);
  access request;
  ASSERT_TRUE(words_.request(0, request));
  EXPECT_EQ(request.function.kind, form::constant);
  transact(tlm::TLM_WRITE_COMMAND, 18, 4);
  ASSERT_EQ(open(), tlm::TLM_OK_RESPONSE);
  ASSERT_TRUE(words_.request(0, request));
  EXPECT_EQ(request.address, 16U);
  EXPECT_EQ(request.function.kind, form::merge);
}

TEST_F(payload_words_test, a_write_to_a_region_that_does_not_combine_is_a_merge) {
  transact(tlm::TLM_WRITE_COMMAND, 4096, 8);
  ASSERT_EQ(open(), tlm::TLM_OK_RESPONSE);
  access request;
  ASSERT_TRUE(words_.request(0, request));
  EXPECT_EQ(request.function, (word_function{form::merge, 0xeeeeeeeeeeeeeeee, ~word_t{0}}));
}

/// What the standard says, byte by byte: enabled byte i goes to or comes from address + i modulo
/// the streaming width.
TEST_F(payload_words_test, does_what_the_standard_says_byte_by_byte) {
  random_stream random(71, 0U, 0U);
  for (int i = 0; i < 3000; ++i) {
    const std::size_t length = 1 + random.below(40);
    const bool write = random.below(2) == 0;
    transact(write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND, 4050 + random.below(64),
             length);
    for (unsigned char& byte : data_) byte = static_cast<unsigned char>(random.below(256));
    if (random.below(2) == 0) {
      payload_.set_streaming_width(static_cast<unsigned>(1 + random.below(48)));
    }
    if (random.below(2) == 0) {
      enables_.resize(1 + random.below(length + 3));
      for (unsigned char& e : enables_) e = random.below(3) == 0 ? 0x00 : 0xff;
      payload_.set_byte_enable_ptr(enables_.data());
      payload_.set_byte_enable_length(static_cast<unsigned>(enables_.size()));
    }
    auto expected_memory = memory_;
    auto expected_data = data_;
    for (std::size_t byte = 0; byte < length; ++byte) {
      if (payload_.get_byte_enable_ptr() != nullptr && enables_[byte % enables_.size()] == 0) {
        continue;
      }
      unsigned char& there =
          expected_memory[payload_.get_address() + byte % payload_.get_streaming_width()];
      (write ? there : expected_data[byte]) = write ? data_[byte] : there;
    }
    ASSERT_EQ(open(), tlm::TLM_OK_RESPONSE);
    perform();
    ASSERT_EQ(memory_, expected_memory) << "access " << i;
    ASSERT_EQ(data_, expected_data) << "access " << i;
  }
}

TEST_F(payload_words_test, words_without_an_enabled_byte_are_left_out) {
  transact(tlm::TLM_WRITE_COMMAND, 0, 24);
  enables_.assign(24, 0xff);
  std::fill(enables_.begin() + 8, enables_.begin() + 16, static_cast<unsigned char>(0));
  payload_.set_byte_enable_ptr(enables_.data());
  payload_.set_byte_enable_length(24);
  ASSERT_EQ(open(), tlm::TLM_OK_RESPONSE);
  EXPECT_EQ(perform(), 2U);
}

TEST_F(payload_words_test, carries_a_fetch_op) {
  fetch_op request = fetch_op::of(operation::fetch_add, 5);
  data_.resize(8);
  set_fetch_op(payload_, 24, data_.data(), request);
  word_t before = 0;
  std::memcpy(&before, memory_.data() + 24, word_bytes);
  ASSERT_EQ(open(), tlm::TLM_OK_RESPONSE);
  EXPECT_EQ(perform(), 1U);
  EXPECT_TRUE(request.performed());
  EXPECT_EQ(request.result(), before);
  word_t after = 0;
  std::memcpy(&after, memory_.data() + 24, word_bytes);
  EXPECT_EQ(after, before + 5);
  payload_.clear_extension<fetch_op>();
}

TEST_F(payload_words_test, does_nothing_for_an_ignored_command) {
  transact(tlm::TLM_IGNORE_COMMAND, 8, 8);
  EXPECT_EQ(open(), tlm::TLM_OK_RESPONSE);
  EXPECT_EQ(words_.count(), 0U);
  transact(tlm::TLM_IGNORE_COMMAND, 9000, 8);
  EXPECT_EQ(open(), tlm::TLM_ADDRESS_ERROR_RESPONSE);
}

TEST_F(payload_words_test, refuses_addresses_in_no_region) {
  transact(tlm::TLM_READ_COMMAND, 8192, 1);
  EXPECT_EQ(open(), tlm::TLM_ADDRESS_ERROR_RESPONSE);
  transact(tlm::TLM_WRITE_COMMAND, 8190, 4);
  EXPECT_EQ(open(), tlm::TLM_ADDRESS_ERROR_RESPONSE);
  transact(tlm::TLM_READ_COMMAND, ~std::uint64_t{0}, 8);
  EXPECT_EQ(open(), tlm::TLM_ADDRESS_ERROR_RESPONSE);
  transact(tlm::TLM_READ_COMMAND, 4000, 200);
  EXPECT_EQ(open(), tlm::TLM_OK_RESPONSE) << "across two regions that touch";
}

TEST_F(payload_words_test, refuses_attributes_that_mean_nothing) {
  transact(tlm::TLM_READ_COMMAND, 0, 8);
  payload_.set_data_length(0);
  EXPECT_EQ(open(), tlm::TLM_BURST_ERROR_RESPONSE);
  transact(tlm::TLM_READ_COMMAND, 0, 8);
  payload_.set_data_ptr(nullptr);
  EXPECT_EQ(open(), tlm::TLM_GENERIC_ERROR_RESPONSE);
  transact(tlm::TLM_READ_COMMAND, 0, 8);
  enables_ = {0xff, 0x01};
  payload_.set_byte_enable_ptr(enables_.data());
  payload_.set_byte_enable_length(2);
  EXPECT_EQ(open(), tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
  payload_.set_byte_enable_length(0);
  EXPECT_EQ(open(), tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
}

TEST_F(payload_words_test, takes_a_streaming_width_of_zero_for_the_length) {
  transact(tlm::TLM_READ_COMMAND, 4, 24);
  payload_.set_streaming_width(0);
  ASSERT_EQ(open(), tlm::TLM_OK_RESPONSE);
  EXPECT_EQ(perform(), 4U);
  EXPECT_TRUE(std::equal(data_.begin(), data_.end(), memory_.begin() + 4));
  transact(tlm::TLM_READ_COMMAND, (std::uint64_t{1} << 20) + 4096 + 32, 8);
  payload_.set_streaming_width(0);
  EXPECT_EQ(open(), tlm::TLM_OK_RESPONSE) << "an alias";
}

TEST_F(payload_words_test, refuses_unknown_commands) {
  transact(static_cast<tlm::tlm_command>(3), 8, 8);
  EXPECT_EQ(open(), tlm::TLM_COMMAND_ERROR_RESPONSE);
}

TEST_F(payload_words_test, refuses_an_operation_with_a_read_or_write) {
  fetch_op request = fetch_op::of(operation::swap, 5);
  for (const tlm::tlm_command command : {tlm::TLM_READ_COMMAND, tlm::TLM_WRITE_COMMAND}) {
    transact(command, 24, 8);
    payload_.set_extension(&request);
    EXPECT_EQ(open(), tlm::TLM_COMMAND_ERROR_RESPONSE);
    payload_.clear_extension<fetch_op>();
  }
}

TEST_F(payload_words_test, refuses_operations_that_are_not_on_one_word) {
  fetch_op request = fetch_op::of(operation::swap, 5);
  data_.resize(8);
  set_fetch_op(payload_, 20, data_.data(), request);
  EXPECT_EQ(open(), tlm::TLM_ADDRESS_ERROR_RESPONSE);
  payload_.set_address(24);
  payload_.set_data_length(4);
  EXPECT_EQ(open(), tlm::TLM_BURST_ERROR_RESPONSE);
  EXPECT_FALSE(request.performed());
  payload_.clear_extension<fetch_op>();
}

TEST_F(payload_words_test, takes_aliases_as_the_operations_that_they_stand_for) {
  const std::uint64_t window = std::uint64_t{1} << 20;
  transact(tlm::TLM_WRITE_COMMAND, window + 4096 + 32, 8);
  ASSERT_EQ(open(), tlm::TLM_OK_RESPONSE);
  access request;
  ASSERT_TRUE(words_.request(0, request));
  EXPECT_EQ(request.address, 32U) << "the address of the word itself, so that requests combine";
  transact(tlm::TLM_READ_COMMAND, window + 4096 + 36, 8);
  EXPECT_EQ(open(), tlm::TLM_ADDRESS_ERROR_RESPONSE);
  transact(tlm::TLM_READ_COMMAND, window + 4096 + 32, 4);
  EXPECT_EQ(open(), tlm::TLM_BURST_ERROR_RESPONSE);
  transact(tlm::TLM_READ_COMMAND, window + 4096 + 32, 8);
  payload_.set_streaming_width(4);
  EXPECT_EQ(open(), tlm::TLM_BURST_ERROR_RESPONSE);
  transact(tlm::TLM_READ_COMMAND, window + 4096 + 32, 8);
  enables_.assign(8, 0xff);
  payload_.set_byte_enable_ptr(enables_.data());
  payload_.set_byte_enable_length(8);
  EXPECT_EQ(open(), tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
}

TEST_F(payload_words_test, a_register_is_read_and_written_at_once) {
  const std::uint64_t window = std::uint64_t{1} << 20;
  const auto operand = window + static_cast<std::uint64_t>(alias_register::operand);
  transact(tlm::TLM_WRITE_COMMAND, operand, 8);
  const word_t value = 0x1122334455667788;
  std::memcpy(data_.data(), &value, word_bytes);
  ASSERT_EQ(open(), tlm::TLM_OK_RESPONSE);
  EXPECT_EQ(words_.count(), 0U);
  EXPECT_EQ(registers_.operand, value);
  transact(tlm::TLM_READ_COMMAND, operand, 8);
  ASSERT_EQ(open(), tlm::TLM_OK_RESPONSE);
  EXPECT_EQ(std::memcmp(data_.data(), &value, word_bytes), 0);
}

}  // namespace
}  // namespace tributary
