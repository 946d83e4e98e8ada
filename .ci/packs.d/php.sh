tools='composer php phpunit'
version() { echo "Composer $(composer --version 2>/dev/null | sed 's/.*version \([^ ]*\).*/\1/'), PHP $(php -r 'echo PHP_VERSION;'), $(phpunit --version | cut -d' ' -f1,2)"; }
environment() { export COMPOSER_ALLOW_SUPERUSER=1; }
sample() {
  mkdir -p src tests
  printf '%s\n' '{"name": "example/number", "repositories": [{"packagist.org": false}], "autoload": {"psr-4": {"Number\\": "src/"}}, "scripts": {"test": "phpunit --bootstrap vendor/autoload.php tests"}}' > composer.json
  printf 'vendor/\ncomposer.lock\n.phpunit.result.cache\n' > .gitignore
  printf '<?php\nnamespace Number;\nclass One { public static function get(): int { return 1; } }\n' > src/One.php
  printf '<?php\nclass OneTest extends PHPUnit\\Framework\\TestCase { public function testOne(): void { $this->assertSame(1, Number\\One::get()); } }\n' > tests/OneTest.php
}
tests() { printf '<?php\nclass TwiceTest extends PHPUnit\\Framework\\TestCase { public function testTwice(): void { $this->assertSame(4, Number\\Twice::of(2)); } }\n' > tests/TwiceTest.php; }
code() { printf '<?php\nnamespace Number;\nclass Twice { public static function of(int $n): int { return 2 * $n; } }\n' > src/Twice.php; }
