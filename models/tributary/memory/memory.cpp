// SPDX-License-Identifier: Apache-2.0
#include <tributary/memory/memory.h>

#include <algorithm>

#include <tributary/sim/count_down.h>
#include <tributary/sim/parameters.h>
#include <tributary/sim/statistics.h>

namespace tributary {

void memory_config::bind(parameter_set& parameters) {
  using u32 = tributary::interval<std::uint32_t>;
  parameters.add("interval", interval, u32{1, 60000}, "cycles",
                 "A module accepts one request every so many cycles.");
  parameters.add("latency", latency, u32{1, 60000}, "cycles",
                 "Cycles from accepting a request to offering its response.");
  parameters.add("pipeline", pipeline, u32{1, 4096}, "responses",
                 "Responses that a module holds until the network takes them.");
}

memory::memory(const memory_config& config, std::uint32_t link_cycles, std::size_t count)
    : config_((check_ranges(config), config)),
      link_cycles_(link_cycles),
      count_(count),
      words_(count),
      busy_(count),
      head_wait_(count, nothing_waits),
      link_timer_(count),
      heads_(count),
      sizes_(count),
      responses_(count * config.pipeline),
      registers_(count),
      local_ready_(count, 1),
      local_turn_(count),
      request_ready_(count),
      free_(count),
      leaving_(count),
      active_(count) {
  settle();
}

void memory::depart(const port_range& modules, const std::uint8_t* reply_ready) {
  active_.for_each(modules, [&](std::size_t first, std::size_t last) {
    for (std::size_t module = first; module < last; ++module) {
      const bool offered = head_wait_[module] == 0 && link_timer_[module] == 0;
      leaving_[module] = static_cast<std::uint8_t>(offered ? reply_ready[module] & 1U : 0U);
    }
  });
}

void memory::advance(const port_range& modules) {
  active_.for_each(modules, [&](std::size_t first, std::size_t last) {
    count_down(busy_, first, last);
    std::uint16_t* const waits = head_wait_.data();
    for (std::size_t module = first; module < last; ++module) {
      const bool counts = waits[module] != 0 && waits[module] != nothing_waits;
      waits[module] = static_cast<std::uint16_t>(waits[module] - (counts ? 1 : 0));
    }
    count_down(link_timer_, first, last);
  });
}

word_t memory::perform(std::size_t module, const packet& request) {
  busy_[module] = static_cast<std::uint16_t>(config_.interval - 1);
  free_[module] = 0;
  return perform_fetch_op(request, words_);
}

word_t memory::serve_of_range(std::size_t module, const packet& request, cycle_t now) {
  const word_t old = perform(module, request);
  std::size_t newest = std::size_t{heads_[module]} + sizes_[module];
  if (newest >= config_.pipeline) newest -= config_.pipeline;
  responses_[module * config_.pipeline + newest] = {{old, request.sequence, request.pe},
                                                    now + config_.latency};
  ++sizes_[module];
  if (sizes_[module] == 1) head_wait_[module] = wait_of_oldest(module, now);
  local_turn_[module] = 1;
  active_.set(module);
  return old;
}

void memory::accept_local(std::size_t module, const packet& request) {
  registers_[module] = request;
  local_ready_[module] = 0;
  ++local_waiting_;
  active_.set(module);
}

void memory::add_local_loads(std::size_t module, const packet& last, std::uint64_t served,
                             cycle_t when, cycle_t now) {
  registers_[module] = last;
  local_turn_[module] = 0;
  served_locally_ += served;
  const cycle_t rest = when + config_.interval - 1;
  busy_[module] = static_cast<std::uint16_t>(rest > now ? rest - now : 0);
  if (const cycle_t due = when + config_.latency; due > now) {
    const local_response coming{static_cast<std::uint32_t>(module),
                                {{words_.read(last.location), last.sequence, last.pe}, due}};
    const auto later = [](const local_response& x, const local_response& y) {
      return x.answer.due != y.answer.due ? x.answer.due < y.answer.due : x.module < y.module;
    };
    local_replies_.insert(
        std::upper_bound(local_replies_.begin(), local_replies_.end(), coming, later), coming);
  }
  active_.set(module);
  settle(module, module + 1);
}

void memory::settle(const port_range& modules) {
  active_.for_each_and_keep(
      modules, [&](std::size_t first, std::size_t last) { return settle(first, last); });
}

bool memory::settle(std::size_t first, std::size_t last) {
  const std::uint16_t* busy = busy_.data();
  const std::uint16_t* sizes = sizes_.data();
  const std::uint8_t* local_ready = local_ready_.data();
  const std::uint8_t* local_turn = local_turn_.data();
  const std::uint8_t* link_timer = link_timer_.data();
  const std::uint8_t* leaving = leaving_.data();
  const auto capacity = static_cast<std::uint16_t>(config_.pipeline);
  std::uint16_t cycles = 0;
  std::uint8_t others = 0;
  for (std::size_t module = first; module < last; ++module) {
    const bool free = (busy[module] == 0) & (sizes[module] < capacity);
    const bool yields = (local_turn[module] != 0) & (local_ready[module] == 0);
    free_[module] = free ? 1 : 0;
    request_ready_[module] = (free & !yields) ? 1 : 0;
    cycles = static_cast<std::uint16_t>(cycles | busy[module] | sizes[module]);
    others = static_cast<std::uint8_t>(others | link_timer[module] | leaving[module] |
                                       (local_ready[module] ^ 1U));
  }
  return cycles != 0 || others != 0;
}

bool memory::idle() const {
  if (local_waiting_ != 0 || !local_replies_.empty()) return false;
  for (const std::uint16_t size : sizes_) {
    if (size != 0) return false;
  }
  return true;
}

void memory::reset_statistics() { served_ = served_locally_ = 0; }

void memory::report(statistics_group& group) const {
  group.add("served", counter(served_), "requests", "Requests served from the network.");
  group.add("served_locally", counter(served_locally_), "requests",
            "Requests served from local ports.");
}

bool operator==(const memory& x, const memory& y) {
  if (x.count_ != y.count_ || !(x.words_ == y.words_)) return false;
  const auto same_responses = [&](std::size_t module) {
    if (x.sizes_[module] != y.sizes_[module]) return false;
    for (std::size_t i = 0; i < x.sizes_[module]; ++i) {
      const auto at = [&](const memory& m) -> const memory::response& {
        return m
            .responses_[module * m.config_.pipeline + (m.heads_[module] + i) % m.config_.pipeline];
      };
      if (at(x).content != at(y).content || at(x).due != at(y).due) return false;
    }
    const bool waits = x.local_ready_[module] == 0;
    return !waits || x.registers_[module] == y.registers_[module];
  };
  for (std::size_t module = 0; module < x.count_; ++module) {
    if (!same_responses(module)) return false;
  }
  const auto same_local = [](const memory::local_response& a, const memory::local_response& b) {
    return a.module == b.module && a.answer.content == b.answer.content &&
           a.answer.due == b.answer.due;
  };
  return x.busy_ == y.busy_ && x.head_wait_ == y.head_wait_ && x.link_timer_ == y.link_timer_ &&
         x.local_ready_ == y.local_ready_ && x.local_turn_ == y.local_turn_ &&
         std::equal(x.local_replies_.begin(), x.local_replies_.end(), y.local_replies_.begin(),
                    y.local_replies_.end(), same_local);
}

}  // namespace tributary
