// SPDX-License-Identifier: Apache-2.0
// The RTL of the fetch-and-phi unit, with words behind it, beside one memory module of the model,
// cycle by cycle.
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <sstream>
#include <string>

#include <tributary/memory/memory.h>
#include <tributary/rtl/verilated_coverage.h>
#include <tributary/sim/random_stream.h>

#include "fetch_op_variants.h"
#include "support/random_choice.h"
#include "support/random_switch.h"
#include "support/sizes.h"

namespace tributary {
namespace {

constexpr unsigned pe_bits = 16;

/// The RTL and a memory for its words whose read data is random wherever the unit must not depend
/// on it: after no read, and after a read of the word that is being written.
template <class Model>
class verilated_unit {
 public:
  /// Registers begin with random contents drawn from `seed`, then come out of reset.
  explicit verilated_unit(std::uint64_t seed)
      : random_(seed, 1U, 0U), context_(std::make_unique<VerilatedContext>()) {
    context_->randReset(2);
    context_->randSeed(static_cast<int>(seed));
    context_->fatalOnError(false);
    model_ = std::make_unique<Model>(context_.get());
    model_->clk_i = 0;
    reset();
  }

  ~verilated_unit() { write_coverage(*context_); }

  bool ready() const { return model_->request_ready_o != 0; }
  bool idle() const { return model_->idle_o != 0; }
  int failed_assertions() const { return context_->errorCount(); }

  std::optional<reply> depart(bool network_takes) {
    model_->response_ready_i = network_takes ? 1 : 0;
    model_->eval();
    if (model_->response_valid_o == 0) return std::nullopt;
    return reply{model_->response_value_o,
                 static_cast<std::uint32_t>(model_->response_id_o >> pe_bits),
                 static_cast<std::uint16_t>(model_->response_id_o), model_->response_status_o};
  }

  void commit(const std::optional<packet>& arrival) {
    model_->request_valid_i = arrival ? 1 : 0;
    if (arrival) drive(*arrival);
    model_->eval();
    const word_t read = read_data();
    if (model_->write_valid_o != 0) {
      words_.write(model_->write_address_o, model_->write_data_o);
      ++writes_;
    }
    model_->clk_i = 1;
    model_->eval();
    model_->clk_i = 0;
    model_->read_data_i = read;
    model_->request_valid_i = 0;
    model_->eval();
  }

  /// One cycle of reset, in which a write that was due is made or not: the words are cleared.
  void reset() {
    model_->rst_ni = 0;
    depart(false);
    commit({});
    model_->rst_ni = 1;
    model_->eval();
    words_ = {};
    writes_ = 0;
  }

  const word_store& words() const { return words_; }
  /// Words written since the reset.
  std::uint64_t writes() const { return writes_; }

 private:
  void drive(const packet& request) {
    model_->request_address_i = request.address() / word_bytes;
    model_->request_form_i = static_cast<CData>(request.kind);
    model_->request_a_i = request.a;
    model_->request_b_i = request.b;
    model_->request_id_i = std::uint64_t{request.sequence} << pe_bits | request.pe;
  }

  word_t read_data() {
    const bool written =
        model_->write_valid_o != 0 && model_->write_address_o == model_->read_address_o;
    if (model_->read_valid_o == 0 || written) return random_.next_u64();
    return words_.read(model_->read_address_o);
  }

  random_stream random_;
  std::unique_ptr<VerilatedContext> context_;
  std::unique_ptr<Model> model_;
  word_store words_;
  std::uint64_t writes_ = 0;
};

/// One memory module of the model with its network side only.
class single_memory {
 public:
  single_memory(const memory_config& config, std::uint32_t link_cycles)
      : memory_(config, link_cycles, 1) {}

  bool ready() const { return memory_.request_ready()[0] != 0; }
  bool idle() const { return memory_.idle(); }
  const word_store& words() const { return memory_.words(); }

  std::optional<reply> depart(bool network_takes) {
    ++now_;
    const std::uint8_t takes = network_takes ? 1 : 0;
    memory_.depart(&takes);
    memory_.advance();
    std::optional<reply> leaving;
    memory_.release_replies(now_, [&](std::size_t, const reply& what) { leaving = what; });
    return leaving;
  }

  void commit(const std::optional<packet>& arrival) {
    if (arrival) memory_.serve(0, *arrival, now_);
    memory_.settle();
  }

 private:
  memory memory_;
  cycle_t now_ = 0;
};

std::string text_of(const std::optional<reply>& response) {
  if (!response) return "nothing";
  std::ostringstream text;
  text << response->pe << '.' << response->sequence << std::hex << " value " << response->value
       << " status " << unsigned{response->status};
  return text.str();
}

/// Both under the same random traffic: phases in which requests come seldom, and in which the
/// network hardly ever takes a response, empty and fill the pipeline.
template <class Variant>
class lockstep {
 public:
  explicit lockstep(std::uint64_t seed) : random_(seed, 0U, 0U), seed_(seed), rtl_(seed) {}

  void step() {
    ASSERT_EQ(core_.ready(), rtl_.ready()) << at();
    const std::optional<packet> arrival = new_request();
    const bool takes = phase() == 2 ? once_in(12) : !once_in(4);
    const std::optional<reply> leaving = core_.depart(takes);
    const std::optional<reply> rtl_leaving = rtl_.depart(takes);
    ASSERT_TRUE(leaving == rtl_leaving)
        << at() << "\ncore: " << text_of(leaving) << "\nRTL:  " << text_of(rtl_leaving);
    core_.commit(arrival);
    rtl_.commit(arrival);
    if (leaving) ++answered_;
    if (arrival && arrival->kind != form::identity) ++changes_;
    refused_ += core_.ready() ? 0 : 1;
    ++now_;
    ASSERT_EQ(core_.idle(), rtl_.idle()) << at();
    ASSERT_EQ(rtl_.failed_assertions(), 0) << at();
  }

  /// Lets both run empty, then compares every word.
  void drain() {
    constexpr unsigned enough = 2000;
    for (unsigned cycle = 0; cycle < enough; ++cycle) {
      const std::optional<reply> leaving = core_.depart(true);
      const std::optional<reply> rtl_leaving = rtl_.depart(true);
      ASSERT_TRUE(leaving == rtl_leaving) << at();
      core_.commit({});
      rtl_.commit({});
      ++now_;
    }
    ASSERT_TRUE(core_.idle() && rtl_.idle()) << at() << ": not idle after " << enough << " cycles";
    const auto expected = core_.words().contents();
    const auto found = rtl_.words().contents();
    ASSERT_EQ(expected.size(), found.size()) << at();
    for (std::size_t i = 0; i < expected.size(); ++i) {
      EXPECT_EQ(expected[i], found[i]) << at() << ", word " << expected[i].first;
    }
    EXPECT_FALSE(expected.empty());
    EXPECT_EQ(rtl_.writes(), changes_) << at() << ": a load must not write, anything else must";
  }

  void reset() {
    core_ = new_core();
    rtl_.reset();
    changes_ = 0;
    EXPECT_TRUE(rtl_.ready() && rtl_.idle()) << at();
  }

  std::uint64_t answered() const { return answered_; }
  std::uint64_t refused() const { return refused_; }

 private:
  static single_memory new_core() {
    return {{Variant::Interval, Variant::Latency, Variant::PipelineSlots}, Variant::LinkCycles};
  }
  std::string at() const {
    return std::string("variant ") + Variant::name + ", seed " + std::to_string(seed_) +
           ", cycle " + std::to_string(now_);
  }
  bool once_in(std::uint64_t n) { return random_.below(n) == 0; }
  unsigned phase() const { return static_cast<unsigned>(now_ / 300 % 3); }

  std::optional<packet> new_request() {
    packet request = testing::random_request(random_, 1);
    if (!core_.ready() || (phase() == 1 && !once_in(6))) return std::nullopt;
    if (once_in(4)) request.a = extreme();
    if (once_in(4)) request.b = extreme();
    request.pe = static_cast<std::uint16_t>(random_.next_u64());
    request.sequence = next_sequence_++;
    return request;
  }

  word_t extreme() {
    const word_t sign = word_t{1} << 63;
    return testing::one_of<word_t>(random_, {0, ~word_t{0}, sign, sign - 1, random_.next_u64()});
  }

  random_stream random_;
  std::uint64_t seed_;
  single_memory core_ = new_core();
  verilated_unit<typename Variant::model> rtl_;
  std::uint64_t now_ = 1;
  std::uint64_t answered_ = 0;
  std::uint64_t changes_ = 0;  // requests that are no loads
  std::uint64_t refused_ = 0;
  std::uint32_t next_sequence_ = 1;
};

template <class Variant>
class fetch_op_unit_cosim : public ::testing::Test {};

struct variant_names {
  template <class Variant>
  static std::string GetName(int) {
    return Variant::name;
  }
};

using variants = ::testing::Types<TRIBUTARY_FETCH_OP_VARIANTS>;
TYPED_TEST_SUITE(fetch_op_unit_cosim, variants, variant_names);

TYPED_TEST(fetch_op_unit_cosim, equals_a_memory_module_cycle_by_cycle) {
  const std::uint64_t cycles = testing::long_form() ? 500'000 : testing::scaled(30'000);
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    lockstep<TypeParam> both(seed);
    for (std::uint64_t cycle = 0; cycle < cycles / 3; ++cycle) {
      both.step();
      if (this->HasFatalFailure()) return;
    }
    both.drain();
    if (this->HasFatalFailure()) return;
    EXPECT_GT(both.answered(), 0U) << "nothing was answered: the traffic shows nothing";
    EXPECT_GT(both.refused(), 0U) << "it was ready in every cycle: the traffic shows little";
  }
}

TYPED_TEST(fetch_op_unit_cosim, runs_clean_after_a_reset_in_mid_traffic) {
  lockstep<TypeParam> both(7);
  for (unsigned resets = 0; resets < 10; ++resets) {
    for (unsigned cycle = 0; cycle < 137; ++cycle) {
      both.step();
      if (this->HasFatalFailure()) return;
    }
    both.reset();
  }
}

}  // namespace
}  // namespace tributary
