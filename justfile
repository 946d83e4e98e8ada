# What is run by hand; each line calls what CI calls.

# Format, lints and dependencies, without the tests.
check:
    cargo fmt --all -- --check
    cargo clippy --workspace --all-targets --locked -- -D warnings
    cargo deny --log-level error check bans licenses sources

# What to run after every change: all tests that need no agent CLI, no browser and no hundreds of runs.
quick *ARGUMENTS:
    cargo nextest run --workspace --locked --profile quick {{ARGUMENTS}}

# Everything that CI runs.
test:
    ./.ci/test

# A whole run in a scratch repository.
demo *ARGUMENTS:
    cargo run --release -p windlass -- demo {{ARGUMENTS}}

# Records the demo in a terminal of its own (tmux) for the README.
demo-svg:
    cargo build --release -p windlass -p windlass-testkit
    cargo run --release -p windlass-testkit --bin windlass-cast -- docs/demo.svg

# Figures beside baselines of the same run; `just bench --quick` for a first look.
bench *ARGUMENTS:
    cargo build --release -p windlass -p windlass-bench
    cargo run --release -p windlass-bench -- {{ARGUMENTS}}

# Gemini CLI, opencode and Qwen Code against the scripted model; CI does not run it.
other-clis:
    ./.ci/agents acp
    cargo nextest run -p windlass-testkit --test other_clis --run-ignored all --success-output immediate

# Whole runs by Gemini CLI, opencode and Qwen Code through the Agent Client Protocol; CI does not run it.
acp:
    ./.ci/agents acp
    cargo nextest run -p windlass --test acp --run-ignored all --success-output immediate

# Platforms with their real tools: a small project each, `init` and whole runs; CI does not run it. `just packs go make`.
packs *NAMES:
    cargo build -p windlass
    ./.ci/packs {{NAMES}}

# Archives of the program with manual pages, completions and checksums, in target/dist: static for x86-64, or
# `just dist aarch64-unknown-linux-gnu`. `.ci/dist` says what a target needs.
dist *TARGETS:
    ./.ci/dist {{TARGETS}}
