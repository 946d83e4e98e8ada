# What is run by hand; each line calls what CI calls.

# Format, lints and dependencies, without the tests.
check:
    cargo fmt --all -- --check
    cargo clippy --workspace --all-targets --locked -- -D warnings
    cargo deny --log-level error check bans licenses sources

# Everything that CI runs.
test:
    ./.ci/test

# A whole run in a scratch repository.
demo *ARGUMENTS:
    cargo run --release -p windlass -- demo {{ARGUMENTS}}

# The ignored tests that measure.
bench:
    cargo nextest run --release --workspace --run-ignored only
