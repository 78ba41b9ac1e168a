// SPDX-License-Identifier: Apache-2.0
#include <tributary/systemc/payload_pool.h>

#include <set>

#include <tributary/systemc/messages.h>

#include "support/systemc_test.h"

namespace tributary {
namespace {

using tlm::tlm_generic_payload;

class payload_pool_test : public testing::systemc_test {
 protected:
  payload_pool pool_;
};

/// An extension that notes when it is freed.
class noted_extension : public tlm::tlm_extension<noted_extension> {
 public:
  explicit noted_extension(bool& freed) : freed_(freed) {}
  tlm::tlm_extension_base* clone() const override { return new noted_extension(freed_); }
  void copy_from(const tlm::tlm_extension_base&) override {}
  void free() override {
    freed_ = true;
    delete this;
  }

 private:
  bool& freed_;
};

TEST_F(payload_pool_test, hands_out_a_new_payload_with_one_reference) {
  tlm_generic_payload& payload = pool_.acquire();
  EXPECT_EQ(payload.get_ref_count(), 1);
  EXPECT_TRUE(payload.has_mm());
  EXPECT_EQ(payload.get_command(), tlm::TLM_IGNORE_COMMAND);
  EXPECT_EQ(payload.get_response_status(), tlm::TLM_INCOMPLETE_RESPONSE);
  EXPECT_EQ(pool_.outstanding(), 1U);
  payload.release();
  EXPECT_EQ(pool_.outstanding(), 0U);
}

TEST_F(payload_pool_test, takes_a_payload_back_with_the_last_reference_only) {
  tlm_generic_payload& payload = pool_.acquire();
  payload.acquire();
  payload.release();
  EXPECT_EQ(pool_.outstanding(), 1U);
  // The analyzer takes the memory manager's free for that of the C library.
  payload.release();  // NOLINT(clang-analyzer-unix.Malloc)
  EXPECT_EQ(pool_.outstanding(), 0U);
}

TEST_F(payload_pool_test, makes_no_more_payloads_than_were_out_at_a_time) {
  for (int round = 0; round < 1000; ++round) {
    std::set<tlm_generic_payload*> held;
    for (int i = 0; i < 5; ++i) held.insert(&pool_.acquire_fetch_op(8, {form::add, 1, 0}));
    EXPECT_EQ(held.size(), 5U);
    for (tlm_generic_payload* each : held) each->release();
  }
  EXPECT_EQ(pool_.size(), 5U);
}

TEST_F(payload_pool_test, forgets_what_the_payload_was_before) {
  unsigned char enable = TLM_BYTE_ENABLED;
  bool freed = false;
  tlm_generic_payload& used = pool_.acquire_fetch_op(64, {form::add, 1, 0});
  used.set_byte_enable_ptr(&enable);
  used.set_byte_enable_length(1);
  used.set_dmi_allowed(true);
  used.set_gp_option(tlm::TLM_FULL_PAYLOAD);
  used.set_response_status(tlm::TLM_OK_RESPONSE);
  used.set_auto_extension(new noted_extension(freed));
  used.release();
  EXPECT_TRUE(freed);

  tlm_generic_payload& payload = pool_.acquire();
  ASSERT_EQ(pool_.size(), 1U);
  EXPECT_EQ(payload.get_extension<fetch_op>(), nullptr);
  EXPECT_EQ(payload.get_extension<noted_extension>(), nullptr);
  EXPECT_EQ(payload.get_byte_enable_ptr(), nullptr);
  EXPECT_EQ(payload.get_byte_enable_length(), 0U);
  EXPECT_EQ(payload.get_address(), 0U);
  EXPECT_EQ(payload.get_data_ptr(), nullptr);
  EXPECT_EQ(payload.get_data_length(), 0U);
  EXPECT_EQ(payload.get_streaming_width(), 0U);
  EXPECT_FALSE(payload.is_dmi_allowed());
  EXPECT_EQ(payload.get_gp_option(), tlm::TLM_MIN_PAYLOAD);
  EXPECT_EQ(payload.get_response_status(), tlm::TLM_INCOMPLETE_RESPONSE);
  payload.release();
}

TEST_F(payload_pool_test, carries_a_word_of_its_own) {
  tlm_generic_payload& payload = pool_.acquire_word(tlm::TLM_WRITE_COMMAND, 0x18, 77);
  EXPECT_TRUE(payload.is_write());
  EXPECT_EQ(payload.get_address(), 0x18U);
  EXPECT_EQ(payload.get_data_length(), word_bytes);
  EXPECT_EQ(payload.get_streaming_width(), word_bytes);
  EXPECT_EQ(payload_pool::word_of(payload), 77U);
  payload.release();
}

TEST_F(payload_pool_test, carries_the_bytes_of_the_user) {
  unsigned char bytes[24] = {};
  tlm_generic_payload& payload = pool_.acquire(tlm::TLM_READ_COMMAND, 0x20, bytes, sizeof bytes);
  EXPECT_TRUE(payload.is_read());
  EXPECT_EQ(payload.get_data_ptr(), bytes);
  EXPECT_EQ(payload.get_data_length(), sizeof bytes);
  EXPECT_EQ(payload.get_streaming_width(), sizeof bytes);
  payload.release();
}

TEST_F(payload_pool_test, asks_anew_with_the_same_extension) {
  word_t memory = 10;
  for (word_t expected : {10U, 11U, 12U}) {
    tlm_generic_payload& payload = pool_.acquire_fetch_op(0, {form::add, 1, 0});
    EXPECT_FALSE(payload.get_extension<fetch_op>()->performed());
    perform_fetch_op(payload, reinterpret_cast<unsigned char*>(&memory));
    EXPECT_EQ(payload_pool::word_of(payload), expected);
    payload.release();
  }
  EXPECT_EQ(pool_.size(), 1U);
}

TEST_F(payload_pool_test, owns_the_payloads_that_are_still_out_when_it_ends) {
  bool freed = false;
  {
    payload_pool pool;
    pool.acquire_fetch_op(0, {form::add, 1, 0}).set_extension(new noted_extension(freed));
    pool.acquire_word(tlm::TLM_READ_COMMAND, 8);
    EXPECT_EQ(pool.outstanding(), 2U);
  }
  EXPECT_TRUE(freed);
}

}  // namespace
}  // namespace tributary
