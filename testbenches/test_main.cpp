// SPDX-License-Identifier: Apache-2.0
// The main of every test program. Ours and not GoogleTest's, because a library that exports a
// main of its own would win over that one and run nothing; for the same reason a run that
// selects no test fails.
#include <gtest/gtest.h>

#include <cstdio>

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  const int result = RUN_ALL_TESTS();
  if (!GTEST_FLAG_GET(list_tests) && testing::UnitTest::GetInstance()->test_to_run_count() == 0) {
    std::fputs("no test was run: the program has none, or the filter matches none\n", stderr);
    return 1;
  }
  return result;
}
