tools='python3'
version() { python3 --version | cut -d" " -f2; }
sample() {
  mkdir -p number tests
  printf '%s' '[project]
name = "number"
version = "1.0.0"
requires-python = ">=3.9"

[build-system]
requires = ["setuptools>=61"]
build-backend = "setuptools.build_meta"

[tool.setuptools]
packages = ["number"]

[project.optional-dependencies]
test = ["pytest", "pytest-cov"]
' > pyproject.toml
  printf '.venv/\n*.egg-info/\n__pycache__/\n' > .gitignore
  printf 'def one():\n    return 1\n' > number/__init__.py
  printf 'import number\n\n\ndef test_one():\n    assert number.one() == 1\n' > tests/test_one.py
  :
}
tests() { printf 'from number.twice import twice\n\n\ndef test_twice():\n    assert twice(2) == 4\n' > tests/test_twice.py; }
code() { printf 'def twice(n):\n    return 2 * n\n' > number/twice.py; }
