// SPDX-License-Identifier: Apache-2.0
#include <tributary/magic/line_drops.h>

#include <fmt/format.h>

#include <tributary/sim/error.h>
#include <tributary/sim/state_archive.h>

namespace tributary {

line_drops::line_drops(std::uint64_t distance, agenda& time, line_interface& lines)
    : distance_(distance), agenda_(time), lines_(lines) {
  agenda_.enroll(*this);
}

void line_drops::check(std::size_t, const access& request) const {
  const bool is_store =
      request.kind == access_kind::word && request.function.kind == form::constant;
  if (is_store && request.address % word_bytes == 0) {
    lines_.check(request.address - distance_);
    return;
  }
  throw simulation_error(fmt::format(
      "an access at {:#x}, where the processor's caches drop lines: only stores of words at "
      "multiples of {} are served",
      request.address, word_bytes));
}

void line_drops::offer(std::size_t element, const access& request, cycle_t now) {
  check(element, request);
  if (is_busy_) {
    throw simulation_error(fmt::format(
        "a line is to be dropped at {:#x} in cycle {} while another one is", request.address, now));
  }
  lines_.drop(request.address - distance_, now);
  is_busy_ = true;
  told_ = {pe_id{static_cast<std::uint32_t>(element)}, request.tag, 0};
  agenda_.wake(*this, now + 1, 0, wake_rank::processor);
}

void line_drops::wake(cycle_t now, std::uint64_t) {
  is_busy_ = false;
  if (client_ == nullptr) return;
  client_->completed(told_, now);
  if (!is_busy_) client_->room(index(told_.pe), now);
}

std::string line_drops::save() const { return save_state(*this); }

void line_drops::restore(const std::string& state) { restore_state(state, *this); }

}  // namespace tributary
