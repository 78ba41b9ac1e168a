// SPDX-License-Identifier: Apache-2.0
#include "readers_writers_page.h"

#include <cstdint>
#include <memory>
#include <vector>

#include <support/reference_count.h>
#include <tributary/algorithms/centralized_readers_writers_lock.h>
#include <tributary/algorithms/mcs_fair_readers_writers_lock.h>
#include <tributary/algorithms/mcs_reader_preference_lock.h>
#include <tributary/algorithms/mcs_writer_preference_lock.h>
#include <tributary/algorithms/readers_writers_lock.h>

namespace tributary::documentation {
namespace {

using testing::reference_count;
using testing::reference_counter;

/// Elements of the machine on which references are counted.
constexpr std::uint32_t counted_elements = 8;

struct words {
  std::uint32_t central;
  std::uint32_t own;
};

template <class Lock>
words words_of() {
  return {Lock::central_words, Lock::own_words(counted_elements)};
}

words words_of(readers_writers_algorithm which) {
  switch (which) {
    case readers_writers_algorithm::centralized:
      return words_of<centralized_readers_writers_lock>();
    case readers_writers_algorithm::mcs_fair:
      return words_of<mcs_fair_readers_writers_lock>();
    case readers_writers_algorithm::mcs_reader_preference:
      return words_of<mcs_reader_preference_lock>();
    case readers_writers_algorithm::mcs_writer_preference:
      return words_of<mcs_writer_preference_lock>();
  }
  return {};
}

std::string row(const std::string& name, readers_writers_algorithm which) {
  const auto steps = [which](program_context& context) {
    const std::shared_ptr<readers_writers_lock> lock =
        make_readers_writers_lock(which, context, {});
    return std::vector<reference_counter::step>{
        [lock] { lock->acquire_read(); }, [lock] { lock->release_read(); },
        [lock] { lock->acquire_write(); }, [lock] { lock->release_write(); }};
  };
  const words taken = words_of(which);
  std::string text = "| `" + name + "` | " + std::to_string(taken.central) + " | " +
                     std::to_string(taken.own) + " |";
  for (const reference_count& each : reference_counter::count(counted_elements, steps)) {
    text += " " + std::to_string(each.network) + " + " + std::to_string(each.local) + " |";
  }
  return text + "\n";
}

}  // namespace

std::string readers_writers_reference_table() {
  std::string table =
      "| Lock | Central words | Words of each element | acquire_read | release_read | "
      "acquire_write | release_write |\n|---|---|---|---|---|---|---|\n";
  for (const auto& [name, which] : readers_writers_algorithms()) table += row(name, which);
  return table;
}

}  // namespace tributary::documentation
