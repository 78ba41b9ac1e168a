// SPDX-License-Identifier: Apache-2.0
// Runs a program on harts:
//
//   riscv_machine counter.elf 64 [alias] [loosely_timed]
//
// Exit status 0 if every hart ends its program with 0.
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <stdexcept>
#include <string>
#include <system_error>

#include "riscv_machine.h"

namespace {

constexpr const char* usage =
    "usage: riscv_machine PROGRAM.elf HARTS [alias] [loosely_timed]\n"
    "HARTS is 2, 4, 8, ...; alias: atomics by alias and not by extension\n";

/// Reads the options behind the number of harts; returns false for an unknown one.
bool read_options(int argc, char** argv, riscv::hart_config& config) {
  for (int i = 3; i < argc; ++i) {
    if (argv[i] == std::string("alias")) {
      config.atomics = riscv::atomic_style::alias;
    } else if (argv[i] == std::string("loosely_timed")) {
      config.transport = riscv::transport_style::loosely_timed;
    } else {
      return false;
    }
  }
  return argc >= 3;
}

/// Throws `std::invalid_argument` for what is no number of harts.
std::uint32_t read_harts(const std::string& text) {
  std::uint32_t harts = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, problem] = std::from_chars(text.data(), end, harts);
  if (problem == std::errc() && stop == end) return harts;
  throw std::invalid_argument("HARTS: \"" + text +
                              "\" is no number of harts (allowed: 2, 4, 8, ...)");
}

void print(const riscv::riscv_machine& machine, const std::string& program, std::uint32_t harts) {
  std::cout << program << " on " << harts << " harts: " << machine.cycles() << " cycles, "
            << machine.instructions() << " instructions, " << machine.atomics() << " atomics, "
            << machine.combined() << " requests combined\n";
}

int run(const std::string& program, std::uint32_t harts, const riscv::hart_config& config) {
  constexpr std::uint64_t patience = 10'000'000;
  riscv::riscv_machine machine("machine", harts, config, riscv::read_elf(program));
  machine.run(patience);
  print(machine, program, harts);
  for (const std::string& complaint : machine.complaints()) std::cerr << complaint << "\n";
  return machine.complaints().empty() ? EXIT_SUCCESS : EXIT_FAILURE;
}

}  // namespace

int sc_main(int argc, char** argv) {
  riscv::hart_config config;
  if (!read_options(argc, argv, config)) {
    std::cerr << usage;
    return EXIT_FAILURE;
  }
  try {
    return run(argv[1], read_harts(argv[2]), config);
  } catch (const std::exception& problem) {
    std::cerr << problem.what() << "\n";
    return EXIT_FAILURE;
  }
}
