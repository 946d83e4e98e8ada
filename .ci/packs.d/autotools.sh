tools='autoreconf automake make cc'
version() { echo "Autoconf $(autoreconf --version | head -1 | sed 's/.* //'), Automake $(automake --version | head -1 | sed 's/.* //')"; }
sample() {
  mkdir -p src tests
  printf 'AC_INIT([number], [1])\nAM_INIT_AUTOMAKE([foreign subdir-objects])\nAC_PROG_CC\nAC_CONFIG_FILES([Makefile])\nAC_OUTPUT\n' > configure.ac
  printf 'AM_CPPFLAGS = -I$(srcdir)/src\ncheck_PROGRAMS = tests/one tests/more\nTESTS = $(check_PROGRAMS)\ntests_one_SOURCES = tests/one.c\ntests_more_SOURCES = tests/more.c\n' > Makefile.am
  printf 'static int one(void) { return 1; }\n' > src/one.h
  printf '#include "one.h"\nint main(void) { return one() != 1; }\n' > tests/one.c
  printf 'int main(void) { return 0; }\n' > tests/more.c
  printf 'Makefile\nMakefile.in\naclocal.m4\nautom4te.cache/\ncompile\nconfig.*\nconfigure\ndepcomp\ninstall-sh\nmissing\ntest-driver\n*.log\n*.trs\n*.o\n.deps/\n.dirstamp\n/tests/one\n/tests/more\n' > .gitignore
}
tests() { printf '#include "twice.h"\nint main(void) { return twice(2) != 4; }\n' > tests/more.c; }
code() { printf 'static int twice(int n) { return 2 * n; }\n' > src/twice.h; }
