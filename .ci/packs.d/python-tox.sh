tools='tox'
version() { tox --version 2>/dev/null | grep -o "^[0-9.]*"; }
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
' > pyproject.toml
  printf '.tox/\n*.egg-info/\nbuild/\n__pycache__/\n' > .gitignore
  printf 'def one():\n    return 1\n' > number/__init__.py
  printf 'import number\n\n\ndef test_one():\n    assert number.one() == 1\n' > tests/test_one.py
  printf '[tox]\nenv_list = py38, py, lint\n[testenv]\ndeps = pytest\ncommands = pytest {posargs:tests}\n' > tox.ini
}
tests() { printf 'from number.twice import twice\n\n\ndef test_twice():\n    assert twice(2) == 4\n' > tests/test_twice.py; }
code() { printf 'def twice(n):\n    return 2 * n\n' > number/twice.py; }
