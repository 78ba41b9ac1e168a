// SPDX-License-Identifier: Apache-2.0
#include <tributary/sim/checkpoint.h>

#include <tributary/sim/state_archive.h>

namespace tributary {

std::uint64_t checksum(const std::string& bytes) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const char byte : bytes) {
    hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3U;
  }
  return hash;
}

std::string seal_checkpoint(const std::string& layout, const std::string& parameters,
                            std::uint64_t seed, const std::string& state) {
  return save_state(layout, parameters, seed, checksum(state), state);
}

std::string open_checkpoint(const std::string& layout, const std::string& parameters,
                            std::uint64_t seed, const std::string& sealed) {
  std::string its_layout;
  std::string its_parameters;
  std::uint64_t its_seed = 0;
  restore_beginning(sealed, its_layout);
  if (its_layout != layout) {
    throw input_error("checkpoint does not fit: its layout is not " + layout +
                      "; make it with this version, for this kind of machine");
  }
  std::uint64_t sum = 0;
  std::string state;
  restore_state(sealed, its_layout, its_parameters, its_seed, sum, state);
  if (its_parameters != parameters) {
    throw input_error(
        "checkpoint does not fit: it was made with another configuration; resume with the same "
        "parameters");
  }
  if (its_seed != seed) {
    throw input_error("checkpoint does not fit: it was made with seed " + std::to_string(its_seed) +
                      ", not " + std::to_string(seed));
  }
  if (sum != checksum(state)) {
    throw input_error("checkpoint does not fit: its state is damaged; make it again");
  }
  return state;
}

}  // namespace tributary
