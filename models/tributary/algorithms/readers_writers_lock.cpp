// SPDX-License-Identifier: Apache-2.0
#include <tributary/algorithms/readers_writers_lock.h>

#include <tributary/algorithms/centralized_readers_writers_lock.h>
#include <tributary/algorithms/mcs_fair_readers_writers_lock.h>
#include <tributary/algorithms/mcs_reader_preference_lock.h>
#include <tributary/algorithms/mcs_writer_preference_lock.h>
#include <tributary/sim/error.h>

namespace tributary {

std::vector<std::pair<std::string, readers_writers_algorithm>> readers_writers_algorithms() {
  return {{"centralized", readers_writers_algorithm::centralized},
          {"mcs_fair", readers_writers_algorithm::mcs_fair},
          {"mcs_reader_preference", readers_writers_algorithm::mcs_reader_preference},
          {"mcs_writer_preference", readers_writers_algorithm::mcs_writer_preference}};
}

std::unique_ptr<readers_writers_lock> make_readers_writers_lock(readers_writers_algorithm algorithm,
                                                                program_context& context,
                                                                const memory_place& place) {
  switch (algorithm) {
    case readers_writers_algorithm::centralized:
      return std::make_unique<centralized_readers_writers_lock>(context, place);
    case readers_writers_algorithm::mcs_fair:
      return std::make_unique<mcs_fair_readers_writers_lock>(context, place);
    case readers_writers_algorithm::mcs_reader_preference:
      return std::make_unique<mcs_reader_preference_lock>(context, place);
    case readers_writers_algorithm::mcs_writer_preference:
      return std::make_unique<mcs_writer_preference_lock>(context, place);
  }
  throw error("no such readers-writers lock");
}

}  // namespace tributary
