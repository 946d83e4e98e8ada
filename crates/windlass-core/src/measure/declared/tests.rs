//! Tests in many languages, and what is said when they change.

use super::*;

fn names(path: &str, text: &str) -> Vec<String> {
    Declared::in_file(path, text).tests.into_keys().collect()
}

#[test]
fn tests_are_found_in_every_dialect() {
    let cases: &[(&str, &str, &[&str])] = &[
        (
            "t.py",
            "def test_a():\n    pass\nclass T:\n    async def test_b(self): ...\ndef helper(): ...",
            &["test_a", "test_b"],
        ),
        (
            "a.rs",
            "#[test]\nfn one() {}\n  #[tokio::test(flavor = \"x\")]\n  async fn two() {}\nfn no() {}",
            &["one", "two"],
        ),
        (
            "a_test.go",
            "func TestAdds(t *testing.T) {\nfunc helper() {}\nfunc (s *S) TestB() {",
            &["TestAdds", "TestB"],
        ),
        (
            "a.test.ts",
            "test('adds', () => {})\n  it(\"subtracts\", f)\n it.each([1])('each %s', f)\nre.test('x')",
            &["adds", "each %s", "subtracts"],
        ),
        (
            "T.java",
            "  @Test\n  void adds() {\n  @ParameterizedTest\n  @ValueSource(ints = {1})\n  public void many(int x) {",
            &["adds", "many"],
        ),
        ("T.kt", "@Test\nfun `adds two`() {", &["adds two"]),
        (
            "T.cs",
            "[Fact]\npublic void Adds() {\n[Theory]\n[InlineData(1)]\npublic void Many(int x) {",
            &["Adds", "Many"],
        ),
        ("a_spec.rb", "it \"adds\" do\n  it('b') {\n def test_c", &["adds", "b", "test_c"]),
        (
            "ATest.php",
            "public function testAdds(): void\nit('works', fn() => 1)",
            &["testAdds", "works"],
        ),
        ("a_test.exs", "  test \"adds\" do", &["adds"]),
        ("a.cc", "TEST(Cart, Adds) {\nTEST_CASE(\"name\") {", &["Cart, Adds", "name"]),
        ("ATests.swift", "  func testAdds() {", &["testAdds"]),
        ("tests/test_bye.sh", "anything", &["tests/test_bye.sh"]),
        ("src/main.c", "int main() {}", &[]),
        ("README.md", "test('x')", &[]),
    ];
    for (path, text, wanted) in cases {
        assert_eq!(names(path, text), *wanted, "{path}");
    }
}

#[test]
fn marks_that_switch_tests_off_are_counted_in_every_dialect() {
    let cases = [
        ("t.py", "def test_a(): ...", "@pytest.mark.skip\ndef test_a(): ..."),
        ("t.py", "def test_a(self): ...", "@unittest.skipIf(True, 'x')\ndef test_a(self): ..."),
        ("t.py", "def test_a(self):\n    f()", "def test_a(self):\n    self.skipTest('x')"),
        ("t.py", "def test_a(): ...", "pytestmark = pytest.mark.skip\ndef test_a(): ..."),
        ("a.rs", "#[test]\nfn one() {}", "#[test]\n#[ignore]\nfn one() {}"),
        ("a.rs", "#[test]\nfn one() {}", "#[ignore = \"x\"]\n#[test]\nfn one() {}"),
        ("a.rs", "#[test]\nfn one() {}", "#![cfg(any())]\n#[test]\nfn one() {}"),
        ("a_test.go", "func TestA(t *testing.T) {", "func TestA(t *testing.T) {\n\tt.SkipNow()"),
        ("a.test.js", "it('a', f)", "it.skip('a', f)"),
        ("a.test.js", "it('a', f)", "xit('a', f)"),
        ("a.test.js", "it('a', f)", "it('a', { skip: true }, f)"),
        ("a.test.js", "it('a', f)", "it('a', function () { this.skip() })"),
        (
            "a.test.js",
            "describe('d', () => {\nit('a', f)",
            "describe.skip('d', () => {\nit('a', f)",
        ),
        ("a.test.js", "it('a', f)\nit('b', f)", "it.only('a', f)\nit('b', f)"),
        ("T.java", "@Test\nvoid a() {", "@Test\n@Disabled\nvoid a() {"),
        ("T.java", "@Test\nvoid a() {", "@Ignore(\"x\")\n@Test\nvoid a() {"),
        ("T.java", "@Test\nvoid a() {", "@Test\nvoid a() { assumeTrue(false);"),
        ("T.cs", "[Fact]\npublic void A() {", "[Fact(Skip = \"x\")]\npublic void A() {"),
        ("a_spec.rb", "it 'a' do", "xit 'a' do"),
        ("a_spec.rb", "it 'a' do", "it 'a' do\n  skip"),
        ("ATest.php", "function testA() {", "function testA() { $this->markTestSkipped('x');"),
        ("a_test.exs", "test \"a\" do", "@tag :skip\ntest \"a\" do"),
        ("a.cc", "TEST(Cart, Adds) {", "TEST(Cart, DISABLED_Adds) {"),
        ("A.swift", "func testA() {", "func testA() throws { throw XCTSkip()"),
    ];
    for (path, on, off) in cases {
        let (on, off) = (Declared::in_file(path, on), Declared::in_file(path, off));
        assert_eq!((on.off, off.off), (0, 1), "{path}");
        assert_eq!(on.count(), off.count(), "they are still there: {path}");
        assert!(TestsChanged::of(None, &on, &off).is_less());
    }
}

#[test]
fn a_test_that_lost_its_assertions_is_said() {
    let then = "def test_a():\n    assert f() == 1\n    self.assertEqual(f(), 1)";
    let then = Declared::in_file("t.py", then);
    let now = Declared::in_file("t.py", "def test_a():\n    f()");
    let changed = TestsChanged::of(Some(7), &then, &now);
    assert_eq!(changed.words(), "7 → 7, 2 assertions fewer");
    assert!(changed.is_less() && !TestsChanged::of(Some(7), &now, &then).is_less());
    let cases = [
        ("a.rs", "#[test]\nfn a() {\n    assert_eq!(1, 1);\n}"),
        ("a_test.go", "func TestA(t *testing.T) {\n\tt.Errorf(\"x\")"),
        ("a.test.js", "it('a', () => {\n  expect(1).toBe(1)"),
        ("a.test.js", "it('a', () => {\n  assert.equal(1, 1)"),
        ("T.java", "@Test\nvoid a() {\n  assertThat(1).isEqualTo(1);"),
        ("a_spec.rb", "it 'a' do\n  expect(1).to eq 1"),
        ("a.cc", "TEST(A, B) {\n  EXPECT_EQ(1, 1);"),
        ("a.cc", "TEST_CASE(\"a\") {\n  REQUIRE(true);"),
    ];
    for (path, text) in cases {
        assert_eq!(Declared::in_file(path, text).assertions, 1, "{path}");
    }
    assert_eq!(Declared::in_file("src/a.rs", "assert!(true)").assertions, 0, "no test is near");
}

#[test]
fn a_file_that_nobody_reads_is_said() {
    let changed = TestsChanged::of(Some(1), &Declared::default(), &Declared::too_large());
    assert_eq!(changed.words(), "1 → 1, 1 file too large to count");
}

#[test]
fn what_moved_is_not_removed_and_what_went_is_named() {
    let then = Declared::in_file("a.py", "def test_a(): ...\ndef test_b(): ...\ndef test_c(): ...");
    let now = Declared::in_file("b.py", "def test_c(): ...\ndef test_new(): ...");
    let changed = TestsChanged::of(Some(41), &then, &now);
    assert_eq!(changed.words(), "41 → 40, 2 removed: test_a, test_b");
    let among = TestsChanged::of(None, &then, &now).words();
    assert_eq!(among, "3 → 2 in the changed files, 2 removed: test_a, test_b");
    assert_eq!(TestsChanged::of(Some(1), &Declared::default(), &now).words(), "1 → 3");
}
