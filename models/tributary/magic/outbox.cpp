// SPDX-License-Identifier: Apache-2.0
#include <tributary/magic/outbox.h>

#include <tributary/sim/parameters.h>
#include <tributary/sim/state_archive.h>

namespace tributary {

void outbox_config::bind(parameter_set& parameters) {
  // Spec 9.6: recalled from companion papers, not published in the dissertation.
  parameters.add("latency", latency, interval<std::uint32_t>{0, 1000}, "cycles",
                 "From a handler's send to the interface that it is for (not published; 1 is "
                 "calibration).");
}

outbox::outbox(const outbox_config& config, message_outlet& network, answer_outlet& processor)
    : config_((check_ranges(config), config)), network_(network), processor_(processor) {}

void outbox::send(const message& sent, cycle_t now) {
  network_.push(sent, now + config_.latency);
  ++messages_;
}

void outbox::answer(std::uint8_t tag, word_t value, cycle_t now) {
  processor_.answer(tag, value, now + config_.latency);
  ++answers_;
}

void outbox::interrupt(std::uint32_t line, cycle_t now) {
  processor_.interrupt(line, now + config_.latency);
}

void outbox::reply(const message& sent, cycle_t now) {
  lines_->reply(sent, now + config_.latency);
  ++answers_;
}

void outbox::reset_statistics() { reset_all(messages_, answers_); }

void outbox::report(statistics_group& group, std::uint64_t) const {
  group.add("messages", messages_, "messages", "Messages handed to the network interface.");
  group.add("answers", answers_, "answers", "Answers handed to the processor interface.");
}

std::string outbox::save() const { return save_state(*this); }

void outbox::restore(const std::string& state) { restore_state(state, *this); }

}  // namespace tributary
