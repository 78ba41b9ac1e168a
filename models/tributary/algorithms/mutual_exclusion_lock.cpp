// SPDX-License-Identifier: Apache-2.0
#include <tributary/algorithms/mutual_exclusion_lock.h>

#include <tributary/algorithms/ll_sc_lock.h>
#include <tributary/algorithms/mcs_queue_lock.h>
#include <tributary/algorithms/test_and_set_lock.h>
#include <tributary/algorithms/ticket_lock.h>
#include <tributary/sim/error.h>

namespace tributary {
namespace {

template <class Lock>
lock_words words_of_a(std::uint32_t elements) {
  return {Lock::central_words, Lock::own_words(elements)};
}

}  // namespace

std::vector<std::pair<std::string, lock_algorithm>> lock_algorithms() {
  return {{"test_and_set", lock_algorithm::test_and_set},
          {"ticket", lock_algorithm::ticket},
          {"mcs_queue", lock_algorithm::mcs_queue}};
}

lock_words words_of(lock_algorithm algorithm, std::uint32_t elements) {
  switch (algorithm) {
    case lock_algorithm::test_and_set:
      return words_of_a<test_and_set_lock>(elements);
    case lock_algorithm::ticket:
      return words_of_a<ticket_lock>(elements);
    case lock_algorithm::mcs_queue:
      return words_of_a<mcs_queue_lock>(elements);
    case lock_algorithm::ll_sc:
      return words_of_a<ll_sc_lock>(elements);
    case lock_algorithm::flash:
      break;
  }
  throw error("no such lock");
}

std::unique_ptr<mutual_exclusion_lock> make_lock(lock_algorithm algorithm, program_context& context,
                                                 const memory_place& place) {
  switch (algorithm) {
    case lock_algorithm::test_and_set:
      return std::make_unique<test_and_set_lock>(context, place);
    case lock_algorithm::ticket:
      return std::make_unique<ticket_lock>(context, place);
    case lock_algorithm::mcs_queue:
      return std::make_unique<mcs_queue_lock>(context, place);
    case lock_algorithm::ll_sc:
      return std::make_unique<ll_sc_lock>(context, place);
    case lock_algorithm::flash:
      break;
  }
  throw error("no such lock");
}

}  // namespace tributary
