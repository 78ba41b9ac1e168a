// SPDX-License-Identifier: Apache-2.0
#include <tributary/network/omega/lockstep_switch.h>

#include <utility>

#include <fmt/format.h>

#include <tributary/sim/error.h>

namespace tributary {
namespace {

std::string text_of(const switch_traffic& traffic) {
  std::string text;
  for (unsigned i = 0; i < 2; ++i) {
    const auto& request = traffic.requests[i];
    const auto& response = traffic.replies[i];
    text += fmt::format("  output {}: {}\n  input {}: {}\n", i,
                        request ? to_string(*request) : "nothing", i,
                        response ? to_string(*response) : "nothing");
  }
  return text;
}

std::string text_of(const switch_activity& activity) {
  std::string text;
  for (unsigned i = 0; i < 2; ++i) {
    if (activity.inserted[i]) text += fmt::format("  input {}: inserted\n", i);
    if (activity.held[i]) text += fmt::format("  output {}: a partner waits\n", i);
    if (activity.decombined[i]) {
      text += fmt::format("  output {}: decombined {}\n", i, to_string(*activity.decombined[i]));
    }
  }
  for (const switch_joining& each : activity.combined) {
    text += fmt::format("  output {}: {} combined with {}\n", each.output,
                        to_string(each.request.id()), to_string(each.first));
  }
  return text.empty() ? "  nothing\n" : text;
}

std::string text_of(const switch_occupancy& now) {
  std::string text;
  for (unsigned i = 0; i < 2; ++i) {
    text += fmt::format(
        "  output {}: queues {} and {}, of these combined {} and {}, wait buffer {}; input {}: "
        "reverse queue {}\n",
        i, now.queued[i][0], now.queued[i][1], now.combined[i][0], now.combined[i][1],
        now.waiting[i], i, now.reverse[i]);
  }
  return text;
}

}  // namespace

lockstep_switch::lockstep_switch(std::string name, std::unique_ptr<switch_implementation> reference,
                                 std::unique_ptr<switch_implementation> implementation)
    : name_(std::move(name)),
      reference_(std::move(reference)),
      implementation_(std::move(implementation)) {
  compare_state();
}

const switch_traffic& lockstep_switch::depart(const std::array<std::uint8_t, 2>& next_request_ready,
                                              const std::array<bool, 2>& next_reply_ready) {
  const switch_traffic& expected = reference_->depart(next_request_ready, next_reply_ready);
  const switch_traffic& found = implementation_->depart(next_request_ready, next_reply_ready);
  if (found != expected) differ("what leaves", text_of(expected), text_of(found));
  return found;
}

const switch_activity& lockstep_switch::commit(const switch_traffic& arriving) {
  const switch_activity& expected = reference_->commit(arriving);
  const switch_activity& found = implementation_->commit(arriving);
  if (!(found == expected)) differ("what happened", text_of(expected), text_of(found));
  ++now_;
  compare_state();
  return found;
}

void lockstep_switch::reset() {
  reference_->reset();
  implementation_->reset();
  now_ = 0;
  compare_state();
}

void lockstep_switch::compare_state() {
  const auto ready = [](const switch_implementation& side) {
    return std::array<unsigned, 4>{side.request_ready(0), side.request_ready(1),
                                   side.reply_ready(0) ? 1U : 0U, side.reply_ready(1) ? 1U : 0U};
  };
  const std::array<unsigned, 4> expected = ready(*reference_);
  const std::array<unsigned, 4> found = ready(*implementation_);
  const auto text = [](const std::array<unsigned, 4>& bits) {
    return fmt::format("  requests: input 0 {:#04b}, input 1 {:#04b}; responses: {} and {}\n",
                       bits[0], bits[1], bits[2], bits[3]);
  };
  if (found != expected) differ("ready bits", text(expected), text(found));

  const auto inside = reference_->occupancy();
  const auto shown = implementation_->occupancy();
  if (inside && shown && !(*inside == *shown)) {
    differ("occupancy", text_of(*inside), text_of(*shown));
  }
  if (reference_->idle() != implementation_->idle()) {
    differ("emptiness", reference_->idle() ? "  empty\n" : "  not empty\n",
           implementation_->idle() ? "  empty\n" : "  not empty\n");
  }
}

void lockstep_switch::differ(const std::string& difference, const std::string& reference,
                             const std::string& implementation) const {
  throw simulation_error(
      fmt::format("{}: the implementation differs from its reference in cycle {}: {}\n"
                  "reference:\n{}implementation:\n{}state of the reference:\n{}state of the "
                  "implementation:\n{}",
                  name_, now_ + 1, difference, reference, implementation, reference_->state(),
                  implementation_->state()));
}

}  // namespace tributary
