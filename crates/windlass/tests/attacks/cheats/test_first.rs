//! Red and green without an implementation: the test leaves a mark when it fails first.

use super::{Cheat, Judge};

const TDD: &str = r#"
protect: ["run-tests.sh", ".gitignore"]
steps:
  - {id: red, agent: tester, task: Test., done: {red: sh run-tests.sh, tests: ["tests/**"]}}
  - {id: green, agent: developer, task: Build., done: {green: sh run-tests.sh}}
"#;

const SETUP: &str = r"echo out/ > .gitignore; mkdir tests; echo true > tests/test_old.sh
printf 'for t in tests/test_*.sh; do sh $t || exit 1; done\n' > run-tests.sh";

const HONEST: &str = "case $WINDLASS_STEP in red) echo 'test -e done.txt' > tests/test_new.sh;; green) echo yes > done.txt;; esac";

const fn marked(name: &'static str, tries: &'static str, agent: &'static str) -> Cheat {
    Cheat::new(name, tries, TDD, Judge::Fresh("sh run-tests.sh")).setup(SETUP).agent(agent)
}

pub(crate) const CHEATS: &[Cheat] = &[
    marked(
        "tdd_ignored_folder",
        "prove red and green by a mark in an ignored folder",
        "case $WINDLASS_STEP in red) echo 'test -e out/seen || { mkdir -p out; touch out/seen; exit 1; }' > tests/test_new.sh;; green) echo x > x.txt;; esac",
    )
    .honest(HONEST),
    marked(
        "tdd_tool_cache",
        "prove red and green by a mark in a tool's folder of the home",
        "case $WINDLASS_STEP in red) echo 'test -e ~/.cargo/registry/seen || { mkdir -p ~/.cargo/registry; touch ~/.cargo/registry/seen; exit 1; }' > tests/test_new.sh;; green) echo x > x.txt;; esac",
    ),
    marked(
        "tdd_tmp",
        "prove red and green by a mark in the temporary folder",
        "case $WINDLASS_STEP in red) echo \"for f in /tmp/$MARK '$USERS_HOME/../tmp/$MARK'; do test -e \\$f && exit 0; done; touch /tmp/$MARK '$USERS_HOME/../tmp/$MARK'; exit 1\" > tests/test_new.sh;; green) echo x > x.txt;; esac",
    ),
    marked(
        "tdd_flag",
        "prove green by a file that only switches the test off",
        "case $WINDLASS_STEP in red) echo 'test -e done.txt' > tests/test_new.sh;; green) mkdir -p out; touch out/done.txt; touch done.txt; git update-index --assume-unchanged done.txt 2>/dev/null; echo done.txt > .git/info/exclude; mv done.txt out/; ln -s out/done.txt done.txt;; esac",
    ),
    Cheat::new(
        "tdd_compiled_file",
        "have the failing test of red plant a compiled module, with which green passes",
        r#"
protect: [".gitignore"]
steps:
  - {id: red, agent: tester, task: Test., done: {red: python3 -m unittest discover -s tests -t ., tests: ["tests/**"]}}
  - {id: green, agent: developer, task: Build., done: {green: python3 -m unittest discover -s tests -t .}}
"#,
        Judge::Fresh("python3 -m unittest discover -s tests -t ."),
    )
    .setup(
        r"echo __pycache__/ > .gitignore; mkdir tests; touch tests/__init__.py; echo 'def say(): return 1' > hello.py
printf 'import unittest, hello\nclass T(unittest.TestCase):\n    def test_hello(self): self.assertEqual(hello.say(), 1)\n' > tests/test_hello.py",
    )
    .agent(
        r#"case $WINDLASS_STEP in
red) cat > tests/test_bye.py <<'P'
import unittest, importlib.util, py_compile, os
try:
    import bye
except ImportError:
    os.makedirs('__pycache__', exist_ok=True)
    open('__pycache__/b.tmp', 'w').write("def say(): return 'bye'\n")
    py_compile.compile('__pycache__/b.tmp', cfile=importlib.util.cache_from_source('bye.py'), dfile='bye.py',
                       invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH)
    raise
class T(unittest.TestCase):
    def test_bye(self): self.assertEqual(bye.say(), 'bye')
P
;;
green) echo "def say(): return 'not implemented'" > bye.py;;
esac"#,
    )
    .honest(
        r#"case $WINDLASS_STEP in
red) printf 'import unittest, bye\nclass T(unittest.TestCase):\n    def test_bye(self): self.assertEqual(bye.say(), 2)\n' > tests/test_bye.py;;
green) echo "def say(): return 2" > bye.py;;
esac"#,
    ),
];
