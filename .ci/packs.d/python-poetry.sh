tools='poetry'
version() { poetry --version | sed "s/.*version \\(.*\\))/\\1/"; }
sample() {
  mkdir -p number tests
  printf '%s' '[tool.poetry]
name = "number"
version = "1.0.0"
description = ""
authors = []
packages = [{include = "number"}]

[tool.poetry.dependencies]
python = ">=3.9"

[tool.poetry.group.dev.dependencies]
pytest = "*"

[build-system]
requires = ["poetry-core"]
build-backend = "poetry.core.masonry.api"
' > pyproject.toml
  printf '__pycache__/\n' > .gitignore
  printf 'def one():\n    return 1\n' > number/__init__.py
  printf 'import number\n\n\ndef test_one():\n    assert number.one() == 1\n' > tests/test_one.py
  if [ -n "${PYTHON_INDEX:-}" ]; then
    printf '\n[[tool.poetry.source]]\nname = "index"\nurl = "%s"\npriority = "primary"\n' "$PYTHON_INDEX" >> pyproject.toml
  fi
  poetry lock -q
}
tests() { printf 'from number.twice import twice\n\n\ndef test_twice():\n    assert twice(2) == 4\n' > tests/test_twice.py; }
code() { printf 'def twice(n):\n    return 2 * n\n' > number/twice.py; }
