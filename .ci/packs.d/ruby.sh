tools='bundle ruby rake'
version() { echo "Ruby $(ruby -e 'print RUBY_VERSION'), $(bundle --version)"; }
sample() {
  mkdir -p lib test
  printf 'source "https://rubygems.org"\n\ngem "minitest"\ngem "rake"\n' > Gemfile
  printf 'require "rake/testtask"\n\nRake::TestTask.new { |t| t.libs << "lib"; t.pattern = "test/**/*_test.rb" }\ntask default: :test\n' > Rakefile
  printf 'vendor/\nGemfile.lock\n' > .gitignore
  printf 'module Number\n  def self.one = 1\nend\n' > lib/number.rb
  printf 'require "minitest/autorun"\nrequire "number"\n\nclass NumberTest < Minitest::Test\n  def test_one = assert_equal(1, Number.one)\nend\n' > test/number_test.rb
}
tests() { printf 'require "minitest/autorun"\nrequire "twice"\n\nclass TwiceTest < Minitest::Test\n  def test_twice = assert_equal(4, Twice.of(2))\nend\n' > test/twice_test.rb; }
code() { printf 'module Twice\n  def self.of(n) = 2 * n\nend\n' > lib/twice.rb; }
