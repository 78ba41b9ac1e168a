// SPDX-License-Identifier: Apache-2.0
// States to bytes and back, for checkpoints. Only for source files: it brings cereal along.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <new>
#include <sstream>
#include <string>
#include <string_view>
#include <type_traits>

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

/// Reads what `save_state` wrote. A length of more elements than bytes are left is refused before
/// memory is asked for. So no element may be a class without members.
class state_reader : public cereal::InputArchive<state_reader, cereal::AllowEmptyClassElision> {
 public:
  explicit state_reader(std::string_view bytes)
      : cereal::InputArchive<state_reader, cereal::AllowEmptyClassElision>(this), bytes_(bytes) {
    bool little_endian = false;
    (*this)(little_endian);
  }

  /// Bytes that were not read.
  std::size_t left() const { return bytes_.size(); }
  /// Numbers of `Width` bytes.
  template <std::size_t Width>
  void read(void* into, std::size_t size) {
    require_left(size);
    std::copy_n(bytes_.data(), size, static_cast<char*>(into));
    bytes_.remove_prefix(size);
    if (cereal::portable_binary_detail::is_little_endian()) return;
    auto* const first = static_cast<std::uint8_t*>(into);
    for (std::size_t i = 0; i < size; i += Width) {
      cereal::portable_binary_detail::swap_bytes<Width>(first + i);
    }
  }
  void require_left(std::uint64_t size) const {
    if (size > left()) throw input_error("checkpoint does not fit this machine: it ends early");
  }

 private:
  std::string_view bytes_;
};

// What cereal asks of an archive.
template <class Number, class = std::enable_if_t<std::is_arithmetic_v<Number>>>
void load(state_reader& from, Number& into) {
  if constexpr (std::is_same_v<Number, bool>) {
    std::uint8_t byte = 0;  // a bool has no other values
    from.read<1>(&byte, 1);
    if (byte > 1) throw input_error("checkpoint does not fit this machine: a flag is not 0 or 1");
    into = byte != 0;
  } else {
    from.read<sizeof into>(&into, sizeof into);
  }
}
template <class Numbers>
void load(state_reader& from, cereal::BinaryData<Numbers>& into) {
  static_assert(!std::is_same_v<std::remove_pointer_t<Numbers>, bool>, "flags are read one by one");
  from.read<sizeof(std::remove_pointer_t<Numbers>)>(into.data, static_cast<std::size_t>(into.size));
}
template <class Value>
void load(state_reader& from, cereal::NameValuePair<Value>& into) {
  from(into.value);
}
template <class Size>
void load(state_reader& from, cereal::SizeTag<Size>& into) {
  from(into.size);
  from.require_left(into.size);
}

}  // namespace detail
}  // namespace tributary

/// What CEREAL_SETUP_ARCHIVE_TRAITS does, in one direction: cereal's own archive writes.
template <>
struct cereal::traits::detail::get_output_from_input<tributary::detail::state_reader> {
  using type = cereal::PortableBinaryOutputArchive;
};

namespace tributary {
namespace detail {

/// Reads values, and returns how many bytes are left.
template <class... Values>
std::size_t read_values(const std::string& state, Values&... values) {
  try {
    state_reader archive(state);
    archive(values...);
    return archive.left();
  } catch (const cereal::Exception& problem) {
    throw input_error(std::string("checkpoint does not fit this machine: ") + problem.what());
  } catch (const std::bad_alloc&) {
    throw input_error("checkpoint does not fit this machine: a length is impossible");
  }
}

}  // namespace detail

/// Reads back the first of the values that `save_state` wrote. Throws `input_error` if the bytes
/// end early, or if a length goes beyond them.
template <class... Values>
void restore_beginning(const std::string& state, Values&... values) {
  detail::read_values(state, values...);
}

/// Reads back all that `save_state` wrote. Throws `input_error` if the bytes end early or go on.
template <class... Values>
void restore_state(const std::string& state, Values&... values) {
  if (detail::read_values(state, values...) != 0) {
    throw input_error("checkpoint does not fit this machine: bytes are left over");
  }
}

/// Refuses a state whose parts contradict each other or the machine.
inline void require_state(bool fits, const char* problem) {
  if (!fits) throw input_error(std::string("checkpoint does not fit this machine: ") + problem);
}

}  // namespace tributary
