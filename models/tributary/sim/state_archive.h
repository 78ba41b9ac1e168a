// SPDX-License-Identifier: Apache-2.0
// States to bytes and back, for checkpoints. Only for source files: it brings cereal along.
#pragma once

#include <deque>
#include <new>
#include <sstream>
#include <stdexcept>
#include <string>

#include <cereal/archives/portable_binary.hpp>
#include <cereal/types/array.hpp>
#include <cereal/types/deque.hpp>
#include <cereal/types/map.hpp>
#include <cereal/types/optional.hpp>
#include <cereal/types/string.hpp>
#include <cereal/types/utility.hpp>
#include <cereal/types/vector.hpp>

#include <tributary/sim/error.h>

namespace tributary {

/// The values one after the other, little-endian, without names: what reads them must be the same
/// version of the library with the same configuration.
template <class... Values>
std::string save_state(const Values&... values) {
  std::ostringstream bytes(std::ios::binary);
  {
    cereal::PortableBinaryOutputArchive archive(
        bytes, cereal::PortableBinaryOutputArchive::Options::LittleEndian());
    archive(values...);
  }
  return bytes.str();
}

namespace detail {

/// Reads values from `bytes`. What damaged bytes can lead to, lengths beyond all memory included,
/// becomes an `input_error`.
template <class... Values>
void read_values(std::istringstream& bytes, Values&... values) {
  try {
    cereal::PortableBinaryInputArchive archive(bytes);
    archive(values...);
  } catch (const cereal::Exception& problem) {
    throw input_error(std::string("checkpoint does not fit this machine: ") + problem.what());
  } catch (const std::length_error&) {
    throw input_error("checkpoint does not fit this machine: a length is impossible");
  } catch (const std::bad_alloc&) {
    throw input_error("checkpoint does not fit this machine: a length is impossible");
  }
}

}  // namespace detail

/// Reads back the first of the values that `save_state` wrote. Throws `input_error` if the bytes
/// end early.
template <class... Values>
void restore_beginning(const std::string& state, Values&... values) {
  std::istringstream bytes(state, std::ios::binary);
  detail::read_values(bytes, values...);
}

/// Reads back all that `save_state` wrote. Throws `input_error` if the bytes end early or go on.
template <class... Values>
void restore_state(const std::string& state, Values&... values) {
  std::istringstream bytes(state, std::ios::binary);
  detail::read_values(bytes, values...);
  if (bytes.peek() != std::istringstream::traits_type::eof()) {
    throw input_error("checkpoint does not fit this machine: bytes are left over");
  }
}

/// Refuses a state whose parts contradict each other or the machine.
inline void require_state(bool fits, const char* problem) {
  if (!fits) throw input_error(std::string("checkpoint does not fit this machine: ") + problem);
}

}  // namespace tributary
