tools='bun'
version() { bun --version; }
sample() {
  mkdir -p test
  echo '{"name": "number", "version": "1.0.0", "private": true, "scripts": {"test": "bun test ./test"}, "devDependencies": {"kleur": "^4.1.5"}}' > package.json
  printf 'node_modules/\n' > .gitignore
  echo 'exports.one = () => 1;' > one.js
  printf 'const { it } = require("bun:test");\nconst assert = require("assert");\nconst { one } = require("../one");\nit("one", () => assert.strictEqual(one(), 1));\n' > test/one.test.js
  bun install >/dev/null 2>&1; rm -rf node_modules
}
tests() { printf 'const { it } = require("bun:test");\nconst assert = require("assert");\nconst { twice } = require("../twice");\nit("twice", () => assert.strictEqual(twice(2), 4));\n' > test/twice.test.js; }
code() { echo 'exports.twice = (n) => 2 * n;' > twice.js; }
