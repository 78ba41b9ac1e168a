// SPDX-License-Identifier: Apache-2.0
// The tutorials quote the examples as they are built, and print what they print.
//
// With TRIBUTARY_UPDATE_PAGES set in the environment the sections are written instead of compared.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include <tributary/sim/error.h>

#include "documentation/page_sections.h"
#include "program_output.h"

namespace tributary::documentation {
namespace {

std::string in_repository(const std::string& path) {
  return std::string(TRIBUTARY_SOURCE_DIR) + "/" + path;
}

std::string language_of(const std::string& file) {
  const std::string ending = file.substr(file.find_last_of('.') + 1);
  if (ending == "txt") return "cmake";
  return ending == "s" ? "asm" : "cpp";
}

/// The lines of an example between one that ends in "[NAME]" and the next that ends in "[end]".
std::string part_of(const std::string& example, const std::string& name) {
  const std::string source = read_page(in_repository("platforms/examples/" + example));
  const std::string opening = "[" + name + "]\n";
  const std::size_t mark = source.find(opening);
  const std::size_t end = mark == std::string::npos ? mark : source.find("[end]\n", mark);
  if (end == std::string::npos) throw error(example + " has no part [" + name + "] to [end]");
  const std::size_t begin = mark + opening.size();
  const std::string lines = source.substr(begin, source.rfind('\n', end) + 1 - begin);
  return "```" + language_of(example) + "\n" + lines + "```\n";
}

/// A whole file but for its first line, the licence.
std::string whole(const std::string& example) {
  const std::string source = read_page(in_repository("platforms/examples/" + example));
  return "```" + language_of(example) + "\n" + source.substr(source.find('\n') + 1) + "```\n";
}

/// What a program prints that ends with status 1, as a block.
std::string printed_by_faulty(const std::string& program) {
  return "```text\n" + testing::output_of("{ " + program + "; test $? -eq 1; }") + "```\n";
}

/// What a program prints, as a block.
std::string printed_by(const std::string& program) {
  return "```text\n" + testing::output_of(program) + "```\n";
}

#ifdef RISCV_PROGRAMS_DIR
/// What the harts say of each program, by extension.
std::string printed_by_harts() {
  const std::string machine = "cd " RISCV_PROGRAMS_DIR " && ./riscv_machine ";
  return "```text\n" + testing::output_of(machine + "counter.elf 64") +
         testing::output_of(machine + "counter.elf 64 alias") +
         testing::output_of(machine + "lock.elf 64") +
         testing::output_of(machine + "atomics.elf 16") + "```\n";
}
#endif

#ifdef OWN_SWITCH
/// How the example's faulty RTL ends: the message, without where in SystemC it was reported.
std::string printed_by_faulty_switch() {
  const std::string text = testing::output_of("{ " OWN_SWITCH " faulty 2>&1; test $? -eq 1; }");
  const std::size_t begin = text.find("stage ");
  return "```text\n" + text.substr(begin, text.find("\nIn file:") - begin) + "```\n";
}
#endif

struct quoted_section {
  std::string page;
  std::string name;
  std::function<std::string()> text;
};

quoted_section part(const std::string& page, const std::string& section, const std::string& file,
                    const std::string& name) {
  return {page, section, [file, name] { return part_of(file, name); }};
}

std::vector<quoted_section> sections() {
  const std::string embed = "docs/tutorials/embed-a-network.md";
  const std::string cosimulation = "docs/models/co-simulation.md";
  const std::string compose = "docs/tutorials/compose-your-own-platform.md";
  const std::string protocols = "docs/models/protocols.md";
  const std::string fault = "docs/tutorials/find-a-seeded-protocol-fault.md";
  const std::string algorithm = "docs/tutorials/write-your-own-algorithm.md";
  const std::string lock = "docs/tutorials/write-your-own-lock.md";
  return {
      part(protocols, "class", "remote_fetch_add/remote_fetch_add.h", "class"),
      part(protocols, "state", "remote_fetch_add/remote_fetch_add.cpp", "state"),
      part(protocols, "handlers", "remote_fetch_add/remote_fetch_add.cpp", "handlers"),
      part(protocols, "rules", "remote_fetch_add/remote_fetch_add.cpp", "rules"),
      part(protocols, "machine", "remote_fetch_add/main.cpp", "machine"),
      part(embed, "project", "plain_soc/CMakeLists.txt", "project"),
      part(cosimulation, "verilate", "own_switch/CMakeLists.txt", "verilate"),
      part(cosimulation, "lockstep", "own_switch/main.cpp", "lockstep"),
#ifdef OWN_SWITCH
      {cosimulation, "difference", printed_by_faulty_switch},
#endif
      part(embed, "configuration", "plain_soc/main.cpp", "configuration"),
      part(embed, "platform", "plain_soc/main.cpp", "platform"),
      part(embed, "fetch_and_add", "plain_soc/cpu.cpp", "fetch_and_add"),
      {embed, "output", [] { return printed_by(PLAIN_SOC); }},
      part(embed, "by_extension", "riscv_hart/shared_memory.cpp", "by_extension"),
      part(embed, "by_alias", "riscv_hart/shared_memory.cpp", "by_alias"),
#ifdef RISCV_PROGRAMS_DIR
      {embed, "harts", printed_by_harts},
#endif
      {compose, "platform", [] { return whole("polling_platform/main.cpp"); }},
      {compose, "output", [] { return printed_by(POLLING_PLATFORM); }},
      part(fault, "fault", "seeded_fault/main.cpp", "fault"),
      part(fault, "program", "seeded_fault/main.cpp", "program"),
      part(fault, "questions", "seeded_fault/main.cpp", "questions"),
      part(fault, "timeline", "seeded_fault/main.cpp", "timeline"),
      {fault, "output", [] { return printed_by_faulty(SEEDED_FAULT); }},
      {fault, "right", [] { return printed_by(std::string(SEEDED_FAULT) + " right"); }},
      part(algorithm, "algorithm", "own_barrier/main.cpp", "algorithm"),
      part(algorithm, "program", "own_barrier/main.cpp", "program"),
      part(algorithm, "machines", "own_barrier/main.cpp", "machines"),
      {algorithm, "output", [] { return printed_by(OWN_BARRIER); }},
      part(lock, "lock", "own_lock/main.cpp", "lock"),
      part(lock, "program", "own_lock/main.cpp", "program"),
      part(lock, "machines", "own_lock/main.cpp", "machines"),
      {lock, "output", [] { return printed_by(OWN_LOCK); }},
  };
}

TEST(tutorials, quote_what_is_built_and_print_what_it_prints) {
  for (const quoted_section& each : sections()) {
    SCOPED_TRACE(each.page + ", section " + each.name);
    const std::string text = each.text();
    EXPECT_EQ(section_in_file(in_repository(each.page), each.name, text), text)
        << "run the test with TRIBUTARY_UPDATE_PAGES=1 to write the section, and read it";
  }
}

TEST(tutorials, an_algorithm_takes_thirty_lines) {
  const std::string block = part_of("own_barrier/main.cpp", "algorithm");
  // Beside the block's two marks.
  EXPECT_LE(std::count(block.begin(), block.end(), '\n'), 30 + 2);
}

TEST(tutorials, a_lock_and_its_program_take_sixty_lines) {
  std::ptrdiff_t lines = 0;
  for (const char* part : {"lock", "program"}) {
    const std::string block = part_of("own_lock/main.cpp", part);
    lines += std::count(block.begin(), block.end(), '\n') - 2;
  }
  EXPECT_LE(lines, 60);
}

TEST(tutorials, miss_a_part_that_is_not_there) {
  EXPECT_THROW(part_of("plain_soc/main.cpp", "no such part"), error);
  EXPECT_THROW(part_of("no_such_example/main.cpp", "platform"), error);
}

}  // namespace
}  // namespace tributary::documentation
