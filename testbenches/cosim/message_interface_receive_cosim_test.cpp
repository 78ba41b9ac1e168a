// SPDX-License-Identifier: Apache-2.0
// The RTL of the receive engine beside its core, cycle by cycle: what it does, and all of its
// state.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <iostream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include <tributary/nic/receive_engine.h>
#include <tributary/rtl/packed_messages.h>
#include <tributary/rtl/verilated_coverage.h>
#include <tributary/rtl/verilated_variable.h>

#include "receive_engine_variants.h"
#include "receive_stimulus.h"
#include "support/sizes.h"

namespace tributary {
namespace {

constexpr unsigned log2_of(std::uint64_t power) { return power == 1 ? 0 : 1 + log2_of(power / 2); }

/// Collects what differs.
class comparison {
 public:
  template <class Core, class Rtl>
  void of(const std::string& what, const Core& core, const Rtl& rtl) {
    const auto expected = static_cast<std::uint64_t>(core);
    const auto found = static_cast<std::uint64_t>(rtl);
    if (expected == found) return;
    text_ << '\n' << what << std::hex << ": core " << expected << ", RTL " << found << std::dec;
  }
  std::string text() const { return text_.str(); }

 private:
  std::ostringstream text_;
};

/// The RTL; registers begin with random contents drawn from `seed`, then come out of reset.
template <class Variant>
class verilated_engine {
 public:
  using Model = typename Variant::model;
  static constexpr unsigned page_bits = log2_of(Variant::PageBytes);
  static constexpr unsigned page_width = 64 - page_bits;
  static constexpr unsigned place_width = Variant::MemoryWidth - page_bits;
  static constexpr unsigned word_width = log2_of((Variant::PacketBytes + 7) / 8) + 1;

  explicit verilated_engine(std::uint64_t seed) : context_(std::make_unique<VerilatedContext>()) {
    context_->randReset(2);
    context_->randSeed(static_cast<int>(seed));
    context_->fatalOnError(false);
    model_ = std::make_unique<Model>(context_.get());
    const VerilatedScope* const scope = find_scope(*context_, "message_interface_receive");
    for (std::size_t i = 0; i < names.size(); ++i) shown_[i] = {scope, names[i]};
    model_->clk_i = 0;
    reset();
  }
  ~verilated_engine() { write_coverage(*context_); }

  /// Whether the state can be seen.
  bool is_shown() const {
    for (const verilated_variable& each : shown_) {
      if (!each) return false;
    }
    return true;
  }
  int failed_assertions() const { return context_->errorCount(); }

  void reset() {
    model_->rst_ni = 0;
    model_->eval();  // the first one of all sees no edge
    clock();
    model_->rst_ni = 1;
    model_->eval();
  }

  void drive(const receive_inputs& in, const testing::receive_software& software) {
    packed_fields oldest(model_->oldest_i, 0);
    for (const interface_message* each : in.oldest) set(oldest, each);
    model_->reply_room_i = in.reply_room ? 1 : 0;
    model_->fits_i = pair(in.fits);
    model_->memory_ready_i = in.memory_ready ? 1 : 0;
    model_->fill_valid_i = software.fill ? 1 : 0;
    if (software.fill) {
      model_->fill_entry_i = static_cast<CData>(software.fill->entry);
      model_->fill_mapped_i = software.fill->translation.valid ? 1 : 0;
      model_->fill_page_i = software.fill->translation.page;
      set_bits(model_->fill_place_i, 0, place_width, software.fill->translation.place);
    }
    set_bits(model_->acknowledge_i, 0, Variant::Counters, software.acknowledge);
    model_->command_valid_i = software.command ? 1 : 0;
    if (software.command) {
      packed_fields command(model_->command_i, 0);
      set(command, *software.command);
    }
    model_->sent_valid_i = software.sent ? 1 : 0;
    if (software.sent) model_->sent_number_i = *software.sent;
    model_->retry_i = pair(software.retry);
    model_->refuse_i = pair(software.refuse);
    model_->eval();
  }

  void clock() {
    model_->clk_i = 1;
    model_->eval();
    model_->clk_i = 0;
    model_->eval();
  }

  void compare(const receive_outputs& out, bool waits,
               const testing::receive_software_results& results, comparison& both) const {
    both.of("waits", waits, model_->waits_o);
    compare(out.memory, both);
    both.of("takes", out.takes, model_->takes_o);
    both.of("answers", out.answers, model_->answers_o);
    both.of("stores", out.stores, model_->stores_o);
    both.of("channel", out.channel, model_->channel_o);
    both.of("misses", out.misses, model_->misses_o);
    if (out.misses) both.of("missed page", out.missed_page, model_->missed_page_o);
    both.of("zero", out.zero, model_->zero_o);
    both.of("error", out.error, model_->error_o);
    both.of("zero of the command", results.zero, model_->command_zero_o);
    both.of("error of the command", results.command, model_->command_error_o);
    both.of("error of what was sent", results.sent, model_->sent_error_o);
  }

  void compare(const receive_state& state, comparison& both) const {
    both.of("phase", state.at, shown(phase, 0, 3));
    both.of("channel register", state.channel, shown(channel, 0, 1));
    for (unsigned i = 0; i < interface_channels; ++i) {
      const std::string of = " of channel " + std::to_string(i);
      both.of("moved" + of, state.moved[i], shown(moved, i * word_width, word_width));
      both.of("blocked" + of, state.blocked[i], shown(blocked, i, 1));
      both.of("refused" + of, state.refused[i], shown(refused, i, 1));
    }
    if (state.at == receive_state::phase::move) {
      both.of("place", state.place, shown(place, 0, place_width) << page_bits);
    }
    for (unsigned i = 0; i < Variant::Counters; ++i) {
      const std::string of = " counter " + std::to_string(i);
      both.of("local" + of, state.local[i], bits(model_->local_o, i * 16, 16));
      both.of("remote" + of, state.remote[i], bits(model_->remote_o, i * 16, 16));
    }
    both.of("zeroed", state.zeroed, model_->zeroed_o);
    compare(state.translations, both);
  }

 private:
  enum name : std::uint8_t { phase, channel, moved, blocked, refused, place, translations };
  static constexpr std::array<const char*, 7> names{
      "phase_q", "channel_q", "moved_q", "blocked_q", "refused_q", "place_q", "translations_q"};

  static CData pair(const std::array<bool, interface_channels>& values) {
    return static_cast<CData>((values[0] ? 1 : 0) | (values[1] ? 2 : 0));
  }

  std::uint64_t shown(name what, unsigned first, unsigned width) const {
    return shown_[what].bits(first, width);
  }

  // Fields as in rtl/message_interface_pkg.sv, from the last one on.
  template <class Port>
  static void set(packed_fields<Port>& fields, const counter_command& command) {
    fields.set_next(16, command.initial);
    fields.set_next(8, command.number);
    fields.set_next(1, command.interrupts ? 1 : 0);
  }
  template <class Port>
  static void set(packed_fields<Port>& fields, const interface_message* message) {
    const interface_message none;
    const interface_message& here = message == nullptr ? none : *message;
    const interface_header& header = here.header;
    fields.set_next(64, header.address);
    fields.set_next(15, here.body.size());
    fields.set_next(17, header.size);
    set(fields, header.remote);
    fields.set_next(1, header.remote.counts ? 1 : 0);
    fields.set_next(8, header.local);
    fields.set_next(1, header.has_local ? 1 : 0);
    fields.set_next(1, header.acknowledge ? 1 : 0);
    fields.set_next(1, header.everyone ? 1 : 0);
    fields.set_next(4, static_cast<std::uint64_t>(header.type));
    fields.set_next(1, message == nullptr ? 0 : 1);
  }

  void compare(const receive_outputs::memory_request& asked, comparison& both) const {
    both.of("memory request", asked.valid, model_->memory_valid_o);
    if (!asked.valid) return;
    both.of("memory writes", asked.writes, model_->memory_writes_o);
    both.of("memory offset", asked.offset, model_->memory_offset_o);
    both.of("memory word", asked.word, model_->memory_word_o);
    both.of("memory bytes", asked.bytes, model_->memory_bytes_o);
  }

  void compare(const std::vector<page_translation>& entries, comparison& both) const {
    constexpr unsigned width = 1 + page_width + place_width;
    for (unsigned i = 0; i < entries.size(); ++i) {
      const std::string of = " of translation " + std::to_string(i);
      const bool mapped = entries[i].valid;
      both.of("mapped" + of, mapped, shown(translations, i * width + width - 1, 1));
      if (!mapped) continue;
      both.of("place" + of, entries[i].place, shown(translations, i * width, place_width));
      both.of("page" + of, entries[i].page,
              shown(translations, i * width + place_width, page_width));
    }
  }

  std::unique_ptr<VerilatedContext> context_;
  std::unique_ptr<Model> model_;
  std::array<verilated_variable, names.size()> shown_;
};

/// What the traffic met, to see that it shows something.
struct meetings {
  std::array<std::uint64_t, 7> errors{};  ///< by receive_error
  std::uint64_t words = 0;
  std::uint64_t answers = 0;
  std::uint64_t stores = 0;
  std::uint64_t misses = 0;
  std::uint64_t zeros = 0;
};

template <class Variant>
class lockstep {
 public:
  explicit lockstep(std::uint64_t seed)
      : core_(config()),
        rtl_(seed),
        stimulus_(config(), std::uint64_t{1} << rtl::place_width, seed),
        seed_(seed) {}

  void step() {
    const receive_inputs in = stimulus_.next(core_.state());
    const testing::receive_software software = stimulus_.software(core_.state());
    rtl_.drive(in, software);
    const bool waits = core_.waits(in);
    testing::receive_software_results results;
    const receive_outputs out = testing::step(core_, in, software, results);
    comparison both;
    rtl_.compare(out, waits, results, both);
    rtl_.clock();
    rtl_.compare(core_.state(), both);
    ASSERT_TRUE(both.text().empty()) << at() << both.text();
    ASSERT_EQ(rtl_.failed_assertions(), 0) << at();
    note(out, in.memory_ready);
    if (out.takes) stimulus_.taken(out.channel);
    ++now_;
  }

  void reset() {
    core_ = receive_engine(config());
    rtl_.reset();
    stimulus_.reset();
  }

  bool is_shown() const { return rtl_.is_shown(); }
  const meetings& met() const { return met_; }

 private:
  using rtl = verilated_engine<Variant>;

  static receive_engine_config config() {
    return {true, Variant::Translations, Variant::PageBytes, Variant::Counters,
            Variant::PacketBytes};
  }
  std::string at() const {
    return std::string("variant ") + Variant::name + ", seed " + std::to_string(seed_) +
           ", cycle " + std::to_string(now_);
  }
  void note(const receive_outputs& out, bool memory_ready) {
    ++met_.errors.at(static_cast<std::size_t>(out.error));
    if (out.memory.valid && memory_ready) ++met_.words;
    if (out.answers) ++met_.answers;
    if (out.stores) ++met_.stores;
    if (out.misses) ++met_.misses;
    if (out.zero) ++met_.zeros;
  }

  receive_engine core_;
  rtl rtl_;
  testing::receive_stimulus stimulus_;
  std::uint64_t seed_;
  std::uint64_t now_ = 1;
  meetings met_;
};

std::string text_of(const meetings& met) {
  std::ostringstream text;
  text << met.words << " words, " << met.answers << " answers, " << met.stores
       << " for the processor, " << met.misses << " misses, " << met.zeros << " zeros; dropped:";
  for (std::size_t i = 1; i < met.errors.size(); ++i) text << ' ' << met.errors[i];
  return text.str();
}

void expect_all_met(const meetings& met) {
  for (std::size_t i = 0; i < met.errors.size(); ++i) {
    EXPECT_GT(met.errors[i], 0U) << "never met: " << name_of(static_cast<receive_error>(i));
  }
  EXPECT_GT(met.words, 0U) << "no word moved";
  EXPECT_GT(met.answers, 0U) << "nothing was answered";
  EXPECT_GT(met.stores, 0U) << "nothing was for the processor";
  EXPECT_GT(met.misses, 0U) << "every page was there";
  EXPECT_GT(met.zeros, 0U) << "no counter interrupted";
}

template <class Variant>
class message_interface_receive_cosim : public ::testing::Test {};

struct variant_names {
  template <class Variant>
  static std::string GetName(int) {
    return Variant::name;
  }
};

using variants = ::testing::Types<TRIBUTARY_RECEIVE_ENGINE_VARIANTS>;
TYPED_TEST_SUITE(message_interface_receive_cosim, variants, variant_names);

TYPED_TEST(message_interface_receive_cosim, equals_the_core_cycle_by_cycle) {
  const std::uint64_t cycles = testing::long_form() ? 500'000 : testing::halved(30'000);
  lockstep<TypeParam> both(1);
  ASSERT_TRUE(both.is_shown()) << "the RTL lacks a register of message_interface_receive.vlt";
  for (std::uint64_t cycle = 1; cycle <= cycles; ++cycle) {
    // Or great counters would come near 0 no more.
    if (cycle % 2500 == 0) both.reset();
    both.step();
    if (this->HasFatalFailure()) return;
  }
  std::cout << TypeParam::name << ": " << text_of(both.met()) << '\n';
  if (!testing::sanitized) expect_all_met(both.met());
}

TYPED_TEST(message_interface_receive_cosim, runs_clean_after_a_reset_in_mid_traffic) {
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
