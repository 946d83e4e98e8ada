tools='cmake ctest cc'
version() { cmake --version | head -1 | cut -d' ' -f3; }
sample() {
  mkdir -p src tests
  printf 'cmake_minimum_required(VERSION 3.10)\nproject(number C)\nenable_testing()\ninclude_directories(src)\nfile(GLOB tests CONFIGURE_DEPENDS tests/*.c)\nforeach(test ${tests})\n  get_filename_component(name ${test} NAME_WE)\n  add_executable(${name} ${test})\n  add_test(NAME ${name} COMMAND ${name})\nendforeach()\n' > CMakeLists.txt
  printf 'build/\n' > .gitignore
  printf 'static int one(void) { return 1; }\n' > src/one.h
  printf '#include "one.h"\nint main(void) { return one() != 1; }\n' > tests/one.c
}
tests() { printf '#include "twice.h"\nint main(void) { return twice(2) != 4; }\n' > tests/twice.c; }
code() { printf 'static int twice(int n) { return 2 * n; }\n' > src/twice.h; }
