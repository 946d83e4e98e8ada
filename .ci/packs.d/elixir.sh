tools=mix
version() { elixir --version | sed -n 's/^Elixir \([^ ]*\).*/Elixir \1/p'; }
sample() {
  mkdir -p lib test
  printf 'defmodule Number.MixProject do\n  use Mix.Project\n\n  def project do\n    [app: :number, version: "1.0.0"]\n  end\nend\n' > mix.exs
  printf '_build/\ndeps/\n' > .gitignore
  printf '[inputs: ["lib/**/*.ex", "test/**/*.exs"]]\n' > .formatter.exs
  printf 'defmodule Number do\n  def one, do: 1\nend\n' > lib/number.ex
  printf 'ExUnit.start()\n' > test/test_helper.exs
  printf 'defmodule NumberTest do\n  use ExUnit.Case\n\n  test "one" do\n    assert Number.one() == 1\n  end\nend\n' > test/number_test.exs
}
tests() { printf 'defmodule TwiceTest do\n  use ExUnit.Case\n\n  test "twice" do\n    assert Twice.of(2) == 4\n  end\nend\n' > test/twice_test.exs; }
code() { printf 'defmodule Twice do\n  def of(n), do: 2 * n\nend\n' > lib/twice.ex; }
