tools=deno
version() { deno --version | head -1 | cut -d' ' -f2; }
sample() {
  mkdir -p tests
  echo '{"imports": {"ms": "npm:ms@2.1.3"}}' > deno.json
  printf 'node_modules/\n' > .gitignore
  echo 'import ms from "ms"; export const one = () => ms("1ms");' > one.ts
  printf 'import { one } from "../one.ts";\nDeno.test("one", () => {\n  if (one() !== 1) throw new Error("one");\n});\n' > tests/one_test.ts
  deno install -q
}
tests() { printf 'import { twice } from "../twice.ts";\nDeno.test("twice", () => {\n  if (twice(2) !== 4) throw new Error("twice");\n});\n' > tests/twice_test.ts; }
code() { echo 'export const twice = (n: number) => 2 * n;' > twice.ts; }
