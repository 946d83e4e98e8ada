tools=just
version() { just --version | cut -d" " -f2; }
sample() {
  mkdir -p tests
  printf "test:\n    for t in tests/*.sh; do sh \$t || exit 1; done\n" > justfile
  printf 'echo 1\n' > one.sh
  printf 'test "$(sh one.sh)" = 1\n' > tests/one.sh
}
tests() { printf 'test "$(sh twice.sh 2)" = 4\n' > tests/twice.sh; }
code() { printf 'echo $((2 * $1))\n' > twice.sh; }
