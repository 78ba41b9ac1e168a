// SPDX-License-Identifier: Apache-2.0
// What joins two modules inside a network: ready bits one way, a packet the other.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <tributary/sim/for_each_set.h>
#include <tributary/systemc/messages.h>
#include <tributary/systemc/systemc.h>

namespace tributary {

/// A registered link of `lines` lines, each of which carries at most one T (a `packet` or a
/// `reply`) a cycle. In the ready phase the receiver of a line writes its ready bits; in the depart
/// phase the sender reads them and may send; in the commit phase the receiver takes what was sent.
/// A sender must not send where the receiver is not ready. Plain storage without events: the
/// phases of `clocked_module` keep the two apart.
template <class T>
class packet_link : public sc_core::sc_object, public sc_core::sc_interface {
 public:
  /// Which end of the link a port is.
  enum class end : std::uint8_t { sender = 1, receiver = 2 };

  explicit packet_link(const char* name, std::size_t lines = 1)
      : sc_object(name), ready_(lines), sent_(lines), content_(lines), taken_(lines) {}

  const char* kind() const override { return "tributary::packet_link"; }
  std::size_t lines() const { return ready_.size(); }

  /// Ready bits by line. Of requests into a switch: bit o for its output o; else 1 or 0.
  std::uint8_t* ready() { return ready_.data(); }

  void send(std::size_t line, const T& content) {
    content_[line] = content;
    sent_[line] = 1;
  }

  /// Hands what was sent on `count` lines from `first` on to `take(line, const T&)`, ascending.
  template <class Take>
  void receive(std::size_t first, std::size_t count, Take&& take) {
    for_each_set(sent_.data() + first, count, 1, [&](std::size_t line) {
      sent_[first + line] = 0;
      take(line, content_[first + line]);
    });
  }

  /// Marks lines as having their sender or receiver. Returns the first that has one already or
  /// does not exist, or `first + count`.
  std::size_t claim(end side, std::size_t first, std::size_t count) {
    for (std::size_t line = first; line < first + count; ++line) {
      if (line >= lines() || (taken_[line] & static_cast<unsigned>(side)) != 0) return line;
      taken_[line] = static_cast<std::uint8_t>(taken_[line] | static_cast<unsigned>(side));
    }
    return first + count;
  }

 private:
  std::vector<std::uint8_t> ready_;
  std::vector<std::uint8_t> sent_;
  std::vector<T> content_;
  std::vector<std::uint8_t> taken_;
};

/// A module's port to consecutive lines of a link.
template <class T, sc_core::sc_port_policy Policy = sc_core::SC_ONE_OR_MORE_BOUND>
class link_port : public sc_core::sc_port<packet_link<T>, 1, Policy> {
 public:
  using link = packet_link<T>;
  using base = sc_core::sc_port<link, 1, Policy>;

  explicit link_port(const char* name) : base(name) {}
  const char* kind() const override { return "tributary::link_port"; }

  /// The port's lines are those of the link from `first_line` on.
  void bind(link& to, std::size_t first_line) {
    base::bind(to);
    first_ = first_line;
  }
  /// To a port of the enclosing module, from its line `first_line` on.
  void bind(link_port& parent, std::size_t first_line) {
    base::bind(parent);
    parent_ = &parent;
    first_ = first_line;
  }
  void bind(link& to) override { bind(to, 0); }
  /// Throws `std::bad_cast` if the parent is no link_port.
  void bind(sc_core::sc_port_b<link>& parent) override {
    bind(dynamic_cast<link_port&>(parent), 0);
  }

  bool bound() const { return link_ != nullptr; }

  /// Called by the module at the end of elaboration, with the lines that it uses.
  void open(typename link::end side, std::size_t count) {
    if (this->size() == 0) return;
    const std::size_t first = first_line();
    link* const to = this->operator->();
    const std::size_t line = to->claim(side, first, count);
    if (line != first + count) {
      const std::string problem =
          line >= to->lines() ? "which has only " + std::to_string(to->lines())
                              : std::string("which another port ") +
                                    (side == link::end::sender ? "writes" : "reads") + " already";
      SC_REPORT_ERROR(messages::link_binding,
                      (std::string(this->name()) + " needs lines " + std::to_string(first) +
                       " to " + std::to_string(first + count - 1) + " of " + to->name() + ", " +
                       problem + " (line " + std::to_string(line) + ")")
                          .c_str());
      return;
    }
    link_ = to;
    offset_ = first;
    count_ = count;
  }

  // The sender's side.
  const std::uint8_t* ready() const { return link_->ready() + offset_; }
  void send(std::size_t line, const T& content) { link_->send(offset_ + line, content); }

  // The receiver's side.
  void publish(const std::uint8_t* ready) { std::copy_n(ready, count_, link_->ready() + offset_); }
  void publish_all(std::uint8_t ready) { std::fill_n(link_->ready() + offset_, count_, ready); }
  template <class Take>
  void receive(Take&& take) {
    link_->receive(offset_, count_, take);
  }

 private:
  std::size_t first_line() const {
    return first_ + (parent_ == nullptr ? 0 : parent_->first_line());
  }

  std::size_t first_ = 0;
  const link_port* parent_ = nullptr;
  // Known at the end of elaboration.
  link* link_ = nullptr;
  std::size_t offset_ = 0;
  std::size_t count_ = 0;
};

}  // namespace tributary
