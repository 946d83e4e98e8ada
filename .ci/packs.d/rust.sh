tools=cargo
version() { cargo --version | cut -d' ' -f2; }
sample() {
  mkdir -p src tests
  printf '[package]\nname = "number"\nversion = "1.0.0"\nedition = "2021"\n\n[dependencies]\nitoa = "1"\n' > Cargo.toml
  printf '/target\nCargo.lock\n' > .gitignore
  printf 'pub fn one() -> String {\n    itoa::Buffer::new().format(1).to_owned()\n}\n' > src/lib.rs
  printf '#[test]\nfn one() {\n    assert_eq!(number::one(), "1");\n}\n' > tests/one.rs
}
tests() { printf '#[test]\nfn twice() {\n    assert_eq!(number::twice(2), 4);\n}\n' > tests/twice.rs; }
code() { printf 'pub fn twice(n: u32) -> u32 {\n    2 * n\n}\n' >> src/lib.rs; }
