// SPDX-License-Identifier: Apache-2.0
#include <tributary/nic/memory_bus_interface.h>

#include <algorithm>

#include <fmt/format.h>

#include <tributary/sim/error.h>
#include <tributary/sim/parameters.h>
#include <tributary/sim/state_archive.h>

namespace tributary {
namespace {

constexpr std::size_t words_of_header = 2;

word_t word_of(const network_message& message, std::size_t place) {
  if (place >= words_of_header) return message.words[place - words_of_header];
  const header_words header = header_words_of(message.header);
  return place == 0 ? header.first : header.second;
}

}  // namespace

void memory_bus_interface_config::bind(parameter_set& parameters) {
  using u32 = tributary::interval<std::uint32_t>;
  parameters.add(
      "depth", depth, u32{1, 1024}, "messages",
      "Of the send queue (not published; 16 is proposed); the receive queue has no end.");
  parameters.add("access_cycles", access_cycles, u32{0, 1000}, "cycles",
                 "From the address of a load to its word, beyond the bus (not published).");
}

memory_bus_interface::memory_bus_interface(const memory_bus_interface_config& config, agenda& time,
                                           interface_outlet& outlet, processor_port& flags,
                                           std::uint64_t flag)
    : config_((check_ranges(config), config)),
      agenda_(time),
      outlet_(outlet),
      flags_(flags),
      flag_(flag) {
  flags_.set_client(this);
  agenda_.enroll(*this);
}

std::size_t memory_bus_interface::words_of_device(const message& header) const {
  return words_of_header + (moves_payloads_ ? words_of(header.length) : 0);
}

// --- messages that arrive ------------------------------------------------------------------------

void memory_bus_interface::arrive(const network_message& message, cycle_t now) {
  received_.push({message, now, false});
  lengths_.add(received_.size());
  if (!telling_) agenda_.wake(*this, now);
}

void memory_bus_interface::wake(cycle_t now, std::uint64_t /*tag*/) { tell(now); }

void memory_bus_interface::tell(cycle_t now) {
  if (telling_ || told_ == received_.size() || !flags_.can_take(0)) return;
  telling_ = true;
  access store;
  store.address = flag_;
  store.function = {form::constant, ++count_, 0};
  flags_.offer(0, store, now);
}

void memory_bus_interface::completed(const completion& /*ended*/, cycle_t now) {
  telling_ = false;
  const network_message told = received_[told_++].what;
  reader_->announced(told, now);
  tell(now);
}

void memory_bus_interface::room(std::size_t /*element*/, cycle_t now) { tell(now); }

device_answer memory_bus_interface::read(std::uint64_t /*address*/, cycle_t now) {
  if (told_ == 0) {
    ++unread_;
    return device_answer::word(0, now + config_.access_cycles);
  }
  const received& first = received_.front();
  const word_t value = word_of(first.what, read_++);
  if (read_ == words_of_device(first.what.header)) {
    in_queue_.add(now - first.since);
    received_.pop();
    --told_;
    read_ = 0;
  }
  return device_answer::word(value, now + config_.access_cycles);
}

// --- messages that leave -------------------------------------------------------------------------

bool memory_bus_interface::write(std::uint64_t /*address*/, word_t value, cycle_t now) {
  if (composed_.empty() && outlet_.unsent() >= config_.depth) {
    ++full_;
    return false;
  }
  composed_.push_back(value);
  if (composed_.size() < words_of_header) return true;
  network_message sent;
  sent.header = message_of({composed_[0], composed_[1]});
  if (sent.header.length > most_line_bytes ||
      (!moves_payloads_ && sent.header.length != 0 && payloads_.empty())) {
    throw simulation_error(fmt::format(
        "network interface, cycle {}: a message of {} bytes is written, of which there is none",
        now, sent.header.length));
  }
  if (composed_.size() < words_of_device(sent.header)) return true;
  if (moves_payloads_) {
    std::copy(composed_.begin() + words_of_header, composed_.end(), sent.words.begin());
  } else if (sent.header.length != 0) {
    sent.words = payloads_.front();
    payloads_.pop();
  }
  composed_.clear();
  outlet_.send(sent, now);
  return true;
}

// --- reports -------------------------------------------------------------------------------------

void memory_bus_interface::reset_statistics() { reset_all(full_, unread_, lengths_, in_queue_); }

void memory_bus_interface::report(statistics_group& into, std::uint64_t /*cycles*/) const {
  into.add("full", full_, "accesses", "Words that came again, as the send queue was full.");
  into.add("read_in_vain", unread_, "accesses", "Loads that found no message.");
  into.add("length", lengths_, "messages",
           "In the receive queue as each message found it, with itself.");
  into.add("unread", in_queue_, "cycles", "From a message's arrival until it was read.");
}

std::string memory_bus_interface::save() const { return save_state(*this); }

void memory_bus_interface::restore(const std::string& state) {
  restore_state(state, *this);
  const auto is_whole = [this] {
    return composed_.size() >= words_of_header &&
           composed_.size() >= words_of_device(message_of({composed_[0], composed_[1]}));
  };
  bool fits = told_ <= received_.size() && !is_whole() && (payloads_.empty() || !moves_payloads_);
  fits = fits && (!telling_ || told_ < received_.size());
  fits = fits &&
         (read_ == 0 || (told_ != 0 && read_ < words_of_device(received_.front().what.header)));
  for (std::size_t i = 0; i < received_.size(); ++i) {
    fits = fits && received_[i].what.header.length <= most_line_bytes;
  }
  require_state(fits, "a message of the network interface does not exist");
}

}  // namespace tributary
