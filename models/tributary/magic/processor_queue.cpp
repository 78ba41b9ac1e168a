// SPDX-License-Identifier: Apache-2.0
#include <tributary/magic/processor_queue.h>

#include <optional>

#include <tributary/sim/error.h>
#include <tributary/sim/state_archive.h>

namespace tributary {

processor_queue::processor_queue(std::uint32_t depth, agenda& time, data_buffers& buffers)
    : depth_(depth), agenda_(time), buffers_(buffers) {
  agenda_.enroll(*this);
  buffers_.add_listener(*this);
}

std::uint8_t processor_queue::add_client(processor_queue_client& client) {
  clients_.push_back(&client);
  return static_cast<std::uint8_t>(clients_.size() - 1);
}

std::size_t processor_queue::size(std::uint8_t client) const {
  std::size_t count = 0;
  for (std::size_t i = 0; i < queue_.size(); ++i) count += queue_[i].client == client ? 1 : 0;
  return count;
}

void processor_queue::push(std::uint8_t client, const message& header, const line_data& words,
                           cycle_t visible) {
  if (full()) throw error("processor queue: a message came, and it is full; ask full() first");
  entry added;
  added.header = header;
  added.words = words;
  added.visible = visible;
  added.client = client;
  queue_.push(added);
  agenda_.wake(*this, visible);
}

bool processor_queue::holds_first() const {
  return !queue_.empty() && clients_[queue_.front().client]->must_wait(queue_.front().header);
}

const message* processor_queue::front(cycle_t now) {
  if (queue_.empty()) return nullptr;
  const entry& first = queue_.front();
  if (first.visible > now || lacks_buffer(first) || holds_first()) return nullptr;
  return &first.header;
}

message processor_queue::take(cycle_t now) {
  if (front(now) == nullptr) {
    throw error("processor queue: a message was taken, and there is none; ask front() first");
  }
  const entry first = queue_.front();
  queue_.pop();
  queue_wait_.add(now - first.visible);
  clients_[first.client]->taken(first.header, now);
  for (std::size_t i = 0; i < clients_.size(); ++i) {
    if (i != first.client) clients_[i]->room(now);
  }
  return first.header;
}

void processor_queue::buffer_freed(cycle_t now) {
  if (allocate(now)) notify_change(now);
}

void processor_queue::wake(cycle_t now, std::uint64_t /*tag*/) {
  allocate(now);
  notify_change(now);
}

// To the oldest that have come and need one; whether one got it.
bool processor_queue::allocate(cycle_t now) {
  bool given = false;
  for (std::size_t i = 0; i < queue_.size(); ++i) {
    entry& next = queue_[i];
    if (next.visible > now) break;
    if (!lacks_buffer(next)) continue;
    const std::optional<payload_handle> buffer = buffers_.allocate(buffer_claim::processor, now);
    if (!buffer) break;
    for (std::size_t word = 0; word < words_of(next.header.length); ++word) {
      buffers_.set_word(*buffer, word, next.words[word], now);
    }
    next.header.data = *buffer;
    next.has_buffer = true;
    buffer_wait_.add(now - next.visible);
    given = true;
  }
  return given;
}

void processor_queue::reset_statistics() { reset_all(buffer_wait_, queue_wait_); }

std::string processor_queue::save() const { return save_state(*this); }

void processor_queue::restore(const std::string& state) {
  restore_state(state, *this);
  require_state(queue_.size() <= depth_, "the processor queue has another depth");
  for (std::size_t i = 0; i < queue_.size(); ++i) {
    require_state(queue_[i].client < clients_.size(), "a message has no client");
  }
}

}  // namespace tributary
