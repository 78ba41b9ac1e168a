// SPDX-License-Identifier: Apache-2.0
#include "plain_omega.h"

#include <algorithm>

namespace plain {

omega::omega(const options& chosen)
    : options_(chosen),
      half_(chosen.elements / 2),
      random_state_(chosen.seed * 0x2545f4914f6cdd1dULL + 1),
      modules_(chosen.elements),
      elements_(chosen.elements) {
  while ((1U << stages_) < options_.elements) ++stages_;
  nodes_.resize(static_cast<std::size_t>(stages_) * half_);
  for (element& e : elements_) e.wake = 1 + random() % options_.start_window;
  reset_counts();
}

void omega::reset_counts() {
  counts_ = {};
  counts_.arrived.resize(stages_);
  counts_.combined.resize(stages_);
  counts_.latency_histogram.resize(1024);
}

void omega::step() {
  ++now_;
  issue();
  decide();
  move_requests();
  move_replies();
}

// --- elements ---------------------------------------------------------------------------------

omega::request omega::draw(std::uint32_t pe) {
  request r;
  r.pe = pe;
  r.sequence = elements_[pe].sequence++;
  if (!chance(options_.hot_spot)) r.word = random() & ((1ULL << (24 + stages_)) - 1);
  return r;
}

void omega::issue() {
  for (std::uint32_t pe = 0; pe < options_.elements; ++pe) {
    element& e = elements_[pe];
    const bool issues = options_.load > 0 ? chance(options_.load) : e.wake == now_;
    if (issues) e.source.push_back(draw(pe));
  }
}

void omega::deliver(const response& r) {
  element& e = elements_[r.pe];
  const cycle latency = now_ - r.accepted;
  --e.in_flight;
  ++counts_.delivered;
  counts_.latency_sum += latency;
  ++counts_.latency_histogram[std::min<cycle>(latency / 8, 1023)];
  e.wake = now_ + options_.turnaround;
}

// --- decisions, from the state at the start of the cycle ----------------------------------------

bool omega::accepts(unsigned stage, unsigned line, const request& r) {
  if (stage == stages_) return modules_[line].ready;
  const memory_side& port = at(stage, line % half_).forward[output(stage, r)];
  const queue& q = port.queues[options_.dual_input ? 0 : line / half_];
  const unsigned writers = options_.dual_input ? 2 : 1;
  return q.size + writers <= options_.slots &&
         (options_.adaptive_limit == 0 || q.combined < options_.adaptive_limit);
}

bool omega::accepts_reply(unsigned stage, unsigned index) {
  const auto& backward = at(stage, index).backward;
  return backward[0].queue.size + 4 <= options_.reverse_slots &&
         backward[1].queue.size + 4 <= options_.reverse_slots;
}

void omega::decide_forward(unsigned stage, unsigned index) {
  for (unsigned o = 0; o < 2; ++o) {
    memory_side& port = at(stage, index).forward[o];
    port.leaving = -1;
    port.inserted = 0;
    port.wait_buffer_full = port.wait_buffer.size() >= options_.wait_buffer;
    if (port.link_free > now_) continue;
    for (unsigned turn = 0; turn < 2 && port.leaving < 0; ++turn) {
      const unsigned which = port.favoured ^ turn;
      const queue& q = port.queues[which];
      if (q.size == 0 || (q.at(0).combined && port.wait_buffer_full)) continue;
      if (accepts(stage + 1, 2 * index + o, q.at(0).first)) port.leaving = static_cast<int>(which);
    }
  }
}

void omega::decide_backward(unsigned stage, unsigned index) {
  for (unsigned i = 0; i < 2; ++i) {
    processor_side& port = at(stage, index).backward[i];
    const unsigned line = i * half_ + index;
    port.leaving = port.queue.size > 0 && port.link_free <= now_ &&
                   (stage == 0 || accepts_reply(stage - 1, line / 2));
  }
}

void omega::decide() {
  for (module& m : modules_) {
    m.ready = m.free <= now_ && m.pipeline.size < options_.memory_pipeline;
  }
  for (unsigned stage = 0; stage < stages_; ++stage) {
    for (unsigned index = 0; index < half_; ++index) {
      decide_forward(stage, index);
      decide_backward(stage, index);
    }
  }
  for (unsigned pe = 0; pe < options_.elements; ++pe) {
    element& e = elements_[pe];
    e.leaving = !e.source.empty() && e.in_flight < options_.outstanding && e.link_free <= now_ &&
                accepts(0, pe, e.source.front());
    module& m = modules_[pe];
    m.leaving = m.pipeline.size > 0 && m.pipeline.front().due <= now_ && m.link_free <= now_ &&
                accepts_reply(stages_ - 1, pe / 2);
  }
}

// --- requests, from the memory side so that every queue releases before it accepts -------------

void omega::move_requests() {
  for (unsigned stage = stages_; stage-- > 0;) {
    for (unsigned line = 0; line < options_.elements; ++line) {
      memory_side& port = at(stage, line / 2).forward[line % 2];
      if (port.leaving < 0) continue;
      queue& q = port.queues[static_cast<unsigned>(port.leaving)];
      const entry left = q.at(0);
      q.head = (q.head + 1) % static_cast<unsigned>(q.entries.size());
      --q.size;
      if (left.combined) {
        --q.combined;
        port.wait_buffer.push_back(left);
      }
      port.link_free = now_ + options_.link_cycles;
      if (!options_.dual_input) port.favoured = static_cast<unsigned>(port.leaving) ^ 1U;
      request onward = left.first;
      if (left.combined) onward.addend += left.second.addend;
      if (stage + 1 == stages_) {
        serve(line, onward);
      } else {
        accept(stage + 1, line, onward);
      }
    }
  }
  for (unsigned pe = 0; pe < options_.elements; ++pe) {
    element& e = elements_[pe];
    if (!e.leaving) continue;
    e.link_free = now_ + options_.link_cycles;
    ++e.in_flight;
    e.source.front().accepted = now_;
    accept(0, pe, e.source.front());
    e.source.pop_front();
  }
}

void omega::accept(unsigned stage, unsigned line, const request& r) {
  memory_side& port = at(stage, line % half_).forward[output(stage, r)];
  const unsigned which = options_.dual_input ? 0 : line / half_;
  queue& q = port.queues[which];
  ++counts_.arrived[stage];
  if (!port.wait_buffer_full) {
    const bool head_left = port.leaving == static_cast<int>(which);
    const unsigned waiting = q.size - (options_.dual_input ? port.inserted : 0);
    for (unsigned i = options_.coupled || head_left ? 0 : 1; i < waiting; ++i) {
      entry& candidate = q.at(i);
      if (candidate.first.word != r.word || candidate.combined) continue;
      candidate.second = r;
      candidate.combined = true;
      ++q.combined;
      ++counts_.combined[stage];
      return;
    }
  }
  entry& newest = q.at(q.size++);
  newest.first = r;
  newest.combined = false;
  ++port.inserted;
}

void omega::serve(unsigned m, const request& r) {
  std::uint64_t old = 0;
  const auto found = words_.find(r.word);
  if (found != words_.end()) old = found->second;
  if (r.addend != 0) words_[r.word] = old + r.addend;
  modules_[m].free = now_ + options_.memory_interval;
  modules_[m].pipeline.push({old, r.accepted, now_ + options_.memory_latency, r.pe, r.sequence});
}

// --- replies, from the processor side -----------------------------------------------------------

void omega::move_replies() {
  for (unsigned stage = 0; stage < stages_; ++stage) {
    for (unsigned line = 0; line < options_.elements; ++line) {
      processor_side& port = at(stage, line % half_).backward[line / half_];
      if (!port.leaving) continue;
      const response left = port.queue.pop();
      port.link_free = now_ + options_.link_cycles;
      if (stage == 0) {
        deliver(left);
      } else {
        accept_reply(stage - 1, line, left);
      }
    }
  }
  for (unsigned m = 0; m < options_.elements; ++m) {
    if (!modules_[m].leaving) continue;
    modules_[m].link_free = now_ + options_.link_cycles;
    accept_reply(stages_ - 1, m, modules_[m].pipeline.pop());
  }
}

void omega::accept_reply(unsigned stage, unsigned line, const response& r) {
  push_reply(stage, line / 2, r);
  std::vector<entry>& buffer = at(stage, line / 2).forward[line % 2].wait_buffer;
  const auto match = std::find_if(buffer.begin(), buffer.end(), [&](const entry& waiting) {
    return waiting.first.pe == r.pe && waiting.first.sequence == r.sequence;
  });
  if (match == buffer.end()) return;
  const request& other = match->second;
  const response second{r.value + match->first.addend, other.accepted, 0, other.pe, other.sequence};
  *match = buffer.back();
  buffer.pop_back();
  push_reply(stage, line / 2, second);
}

void omega::push_reply(unsigned stage, unsigned index, const response& r) {
  const unsigned input = (r.pe >> bit(stage)) & 1U;
  at(stage, index).backward[input].queue.push(r);
}

}  // namespace plain
