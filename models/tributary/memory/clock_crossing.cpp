// SPDX-License-Identifier: Apache-2.0
#include <tributary/memory/clock_crossing.h>

#include <tributary/sim/state_archive.h>

namespace tributary {
namespace {

// Wake-ups, the element in the bits above.
constexpr std::uint64_t has_answer = 0;
constexpr std::uint64_t has_room = 1;
constexpr std::uint64_t has_settled = 2;
constexpr unsigned element_shift = 2;
constexpr std::uint64_t kind_mask = (1U << element_shift) - 1;

}  // namespace

clock_crossing::clock_crossing(const char* name, std::uint32_t ratio, std::uint32_t pause,
                               agenda& time, processor_port& below)
    : name_(name), ratio_(ratio), pause_(pause), agenda_(time), below_(below) {
  agenda_.enroll(*this);
}

void clock_crossing::set_client(memory_client* client) {
  client_ = client;
  below_.set_client(client == nullptr ? nullptr : this);
}

void clock_crossing::offer(std::size_t element, const access& request, cycle_t now) {
  below_.offer(element, request, now / ratio_ + 1);
}

void clock_crossing::completed(const completion& ended, cycle_t now) {
  answers_.push({ended});
  agenda_.wake(*this, (now + pause_) * ratio_, has_answer, wake_rank::processor);
}

void clock_crossing::room(std::size_t element, cycle_t now) {
  agenda_.wake(*this, now * ratio_, has_room | std::uint64_t{element} << element_shift,
               wake_rank::processor);
}

void clock_crossing::settled(std::size_t element, cycle_t now) {
  agenda_.wake(*this, now * ratio_, has_settled | std::uint64_t{element} << element_shift,
               wake_rank::processor);
}

void clock_crossing::wake(cycle_t now, std::uint64_t tag) {
  const auto element = static_cast<std::size_t>(tag >> element_shift);
  if (client_ == nullptr && (tag & kind_mask) != has_answer) return;
  switch (tag & kind_mask) {
    case has_answer: {
      const completion told = answers_.front().told;
      answers_.pop();
      if (client_ != nullptr) client_->completed(told, now);
      break;
    }
    case has_room:
      if (can_take(element)) client_->room(element, now);
      break;
    default:
      if (incomplete_stores(element) == 0) client_->settled(element, now);
      break;
  }
}

std::string clock_crossing::save() const { return save_state(*this); }
void clock_crossing::restore(const std::string& state) { restore_state(state, *this); }

}  // namespace tributary
