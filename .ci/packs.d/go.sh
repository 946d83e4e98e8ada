tools=go
version() { go version | cut -d' ' -f3; }
sample() {
  printf 'module example.org/number\n\ngo 1.19\n' > go.mod
  printf 'package number\n\nfunc One() int { return 1 }\n' > number.go
  printf 'package number\n\nimport "testing"\n\nfunc TestOne(t *testing.T) {\n\tif One() != 1 {\n\t\tt.Fatal("one")\n\t}\n}\n' > number_test.go
}
tests() { printf 'package number\n\nimport "testing"\n\nfunc TestDouble(t *testing.T) {\n\tif Double(2) != 4 {\n\t\tt.Fatal("double")\n\t}\n}\n' > double_test.go; }
code() { printf 'package number\n\nfunc Double(n int) int { return 2 * n }\n' > double.go; }
