// SPDX-License-Identifier: Apache-2.0
// The wait buffer of a memory-side port: partners of combined requests until the response returns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <tributary/network/omega/partner_pool.h>
#include <tributary/sim/fixed_size.h>
#include <tributary/sim/state.h>

namespace tributary {

/// Wait buffers side by side, `count` of them with `entries` entries each (1 to 65,535); a single
/// one is the case of one. An associative memory on the identity of the first request (FG Figure
/// 3: insertions, and searches that remove what they match). Its order is not part of its state;
/// the search begins with the oldest because responses of one module come back nearly in order.
class wait_buffer {
 public:
  explicit wait_buffer(std::uint32_t entries, std::size_t count = 1)
      : entries_(entries), lists_(count) {}

  std::size_t count() const { return lists_.size(); }
  std::size_t size(std::size_t buffer) const { return lists_[buffer].size; }
  bool empty(std::size_t buffer) const { return lists_[buffer].size == 0; }
  bool full(std::size_t buffer) const { return lists_[buffer].size >= entries_; }

  /// Takes a partner whose request leaves. Precondition: not full at the start of the cycle.
  void insert(std::size_t buffer, partner_index record, partner_pool& pool) {
    list& chain = lists_[buffer];
    pool.next(record) = no_partner;
    if (chain.size == 0) {
      chain.oldest = record;
    } else {
      pool.next(chain.newest) = record;
    }
    chain.newest = record;
    ++chain.size;
  }

  /// The partner of the request `first`, or `no_partner`.
  partner_index find(std::size_t buffer, const request_id& first, const partner_pool& pool) const {
    partner_index at = lists_[buffer].oldest;
    while (at != no_partner && pool[at].first != first) at = pool.next(at);
    return at;
  }

  /// Removes the partner of the request `first` from the buffer and returns it, or `no_partner`;
  /// the caller releases it to the pool.
  partner_index take(std::size_t buffer, const request_id& first, partner_pool& pool) {
    list& chain = lists_[buffer];
    partner_index before = no_partner;
    for (partner_index at = chain.oldest; at != no_partner; before = at, at = pool.next(at)) {
      if (pool[at].first != first) continue;
      (before == no_partner ? chain.oldest : pool.next(before)) = pool.next(at);
      if (chain.newest == at) chain.newest = before;
      --chain.size;
      return at;
    }
    return no_partner;
  }

  /// Makes the buffer like one of a bank, maybe this one, whose partners are in another pool:
  /// `move(partner_index)` moves one, and returns its new index.
  template <class Move>
  void copy_buffer(std::size_t buffer, const wait_buffer& other, std::size_t other_buffer,
                   const partner_pool& other_pool, partner_pool& pool, Move&& move) {
    const list old = other.lists_[other_buffer];
    lists_[buffer] = list();
    for (partner_index at = old.oldest; at != no_partner; at = other_pool.next(at)) {
      insert(buffer, move(at), pool);
    }
  }

  /// The partners in a buffer, in no promised order.
  std::vector<partner> contents(std::size_t buffer, const partner_pool& pool) const;

  /// Whether two banks hold the same sets of partners.
  bool equals(const partner_pool& pool, const wait_buffer& other,
              const partner_pool& other_pool) const;

  /// Refuses restored buffers whose partners are not in the pool. Throws `input_error`.
  void check_partners(const partner_pool& pool) const;

  TRIBUTARY_STATE(fixed_size(lists_));

 private:
  struct list {
    partner_index oldest = no_partner;
    partner_index newest = no_partner;
    std::uint32_t size = 0;

    TRIBUTARY_STATE(oldest, newest, size);
  };

  std::uint32_t entries_;
  std::vector<list> lists_;
};

}  // namespace tributary
