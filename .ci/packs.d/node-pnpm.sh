tools='pnpm node'
version() { echo "$(pnpm --version), Node $(node --version | tr -d v)"; }
sample() {
  mkdir -p test
  echo '{"name": "number", "version": "1.0.0", "private": true, "scripts": {"test": "mocha"}, "devDependencies": {"mocha": "^10.0.0"}}' > package.json
  printf 'node_modules/\n' > .gitignore
  echo 'exports.one = () => 1;' > one.js
  printf 'const assert = require("assert");\nconst { one } = require("../one");\nit("one", () => assert.strictEqual(one(), 1));\n' > test/one.js
  pnpm install --lockfile-only >/dev/null
}
tests() { printf 'const assert = require("assert");\nconst { twice } = require("../twice");\nit("twice", () => assert.strictEqual(twice(2), 4));\n' > test/twice.js; }
code() { echo 'exports.twice = (n) => 2 * n;' > twice.js; }
