use super::*;
use crate::run::Category::{
    Code, Compile, Disk, Environment, External, Infra, Lint, Network, Security, Test, Timeout, Type,
};

fn seen(command: &str, code: i32, output: &str, network: bool) -> Causes {
    let outcome = Outcome::Exited { code };
    causes(&[], &CheckEvidence { command, outcome: &outcome, lost: false, output, network })
}

/// What tools print when the surroundings failed: output, category, and what is missing.
const TROUBLES: &[(&str, Category, Option<&str>)] = &[
    // sh, bash, zsh, make, env
    ("sh: 1: npm: not found\n", Environment, Some("npm")),
    ("/bin/sh: 1: jest: not found\nnpm ERR! Test failed.\n", Environment, Some("jest")),
    ("bash: line 3: pytest: command not found\n", Environment, Some("pytest")),
    ("./test.sh: line 7: shellcheck: command not found\n", Environment, Some("shellcheck")),
    ("/bin/sh: cargo: not found\n", Environment, Some("cargo")),
    ("zsh: command not found: gradle\n", Environment, Some("gradle")),
    (
        "make: golangci-lint: No such file or directory\nmake: *** [Makefile:4: lint] Error 127\n",
        Environment,
        Some("golangci-lint"),
    ),
    ("/usr/bin/env: 'node': No such file or directory\n", Environment, Some("node")),
    // node, go, cargo, pip, cmake, maven
    (
        "Error: spawn docker ENOENT\n    at ChildProcess._handle.onexit\n",
        Environment,
        Some("docker"),
    ),
    (
        "cgo: C compiler \"gcc\" not found: exec: \"gcc\": executable file not found in $PATH\n",
        Environment,
        Some("gcc"),
    ),
    (
        "error: linker `cc` not found\n  |\n  = note: No such file or directory\n",
        Environment,
        Some("cc"),
    ),
    (
        "error: no such command: `nextest`\n\n\tView all installed commands\n",
        Environment,
        Some("nextest"),
    ),
    (
        "error: 'cargo-clippy' is not installed for the toolchain '1.94-x86_64'\n",
        Environment,
        Some("cargo-clippy"),
    ),
    ("error: command 'gcc' failed: No such file or directory\n", Environment, Some("gcc")),
    (
        "FileNotFoundError: [Errno 2] No such file or directory: 'ffmpeg'\n",
        Environment,
        Some("ffmpeg"),
    ),
    (
        "The JAVA_HOME environment variable is not defined correctly,\nthis environment variable is needed\n",
        Environment,
        Some("JAVA_HOME"),
    ),
    (
        "CMake Error at CMakeLists.txt:2 (project):\n  No CMAKE_CXX_COMPILER could be found.\n",
        Environment,
        Some("CMAKE_CXX_COMPILER"),
    ),
    // keys
    ("test.sh: 2: API_KEY: parameter not set\n", Environment, Some("API_KEY")),
    ("./deploy.sh: line 4: GH_TOKEN: unbound variable\n", Environment, Some("GH_TOKEN")),
    ("Error: STRIPE_SECRET_KEY is not set\n", Environment, Some("STRIPE_SECRET_KEY")),
    ("KeyError: 'STRIPE_API_KEY'\n", Environment, Some("STRIPE_API_KEY")),
    ("Missing required environment variable: DATABASE_URL\n", Environment, Some("DATABASE_URL")),
    (
        "openai.OpenAIError: The api_key client option must be set either by passing api_key to the \
         client or by setting the OPENAI_API_KEY environment variable\n",
        Environment,
        Some("OPENAI_API_KEY"),
    ),
    ("botocore.exceptions.NoCredentialsError: Unable to locate credentials\n", Environment, None),
    ("npm ERR! code E401\nnpm ERR! Unable to authenticate\n", Environment, None),
    // dependencies
    ("/usr/bin/python3: No module named pytest\n", Environment, Some("pytest")),
    ("ModuleNotFoundError: No module named 'requests'\n", Environment, Some("requests")),
    ("Error: Cannot find module 'express'\nRequire stack:\n", Environment, Some("express")),
    (
        "Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'vitest' imported from /w/a.js\n",
        Environment,
        Some("vitest"),
    ),
    (
        "Could NOT find OpenSSL (missing: OPENSSL_CRYPTO_LIBRARY OPENSSL_INCLUDE_DIR)\n",
        Environment,
        Some("OpenSSL"),
    ),
    (
        "main.go:4:2: no required module provides package github.com/gorilla/mux; to add it:\n",
        Environment,
        Some("github.com/gorilla/mux"),
    ),
    // disk and memory
    ("npm ERR! code ENOSPC\nnpm ERR! nospc ENOSPC: no space left on device, write\n", Disk, None),
    ("error: failed to write /t/x.rlib: No space left on device (os error 28)\n", Disk, None),
    ("sqlite3.OperationalError: database or disk is full\n", Disk, None),
    ("Error: ENOSPC: System limit for number of file watchers reached, watch '/w'\n", Infra, None),
    (
        "FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory\n",
        Infra,
        None,
    ),
    ("java.lang.OutOfMemoryError: Java heap space\n", Infra, None),
    ("error: could not compile `x` (signal: 9, SIGKILL: kill)\n", Infra, None),
    ("OSError: [Errno 24] Too many open files\n", Infra, None),
    ("fork: retry: Resource temporarily unavailable\n", Infra, None),
    // services
    (
        "Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?\n",
        Infra,
        None,
    ),
    (
        "psql: error: connection to server at \"localhost\" (127.0.0.1), port 5432 failed: Connection refused\n",
        Infra,
        None,
    ),
    ("FATAL:  the database system is starting up\n", Infra, None),
    ("ERROR 2002 (HY000): Can't connect to local MySQL server through socket\n", Infra, None),
    // network
    (
        "npm ERR! code EAI_AGAIN\nnpm ERR! request to https://registry.example failed\n",
        Network,
        None,
    ),
    ("Error: connect ECONNREFUSED 10.0.0.7:8080\n", Network, None),
    (
        "fatal: unable to access 'https://forge.example/': Could not resolve host: forge.example\n",
        Network,
        None,
    ),
    (
        "WARNING: Retrying: Failed to establish a new connection: [Errno -3] Temporary failure in name resolution\n",
        Network,
        None,
    ),
    ("go: example.org/x: dial tcp: lookup example.org: no such host\n", Network, None),
    ("Get \"https://example.org\": net/http: TLS handshake timeout\n", Network, None),
    ("Could not transfer artifact org.junit:junit:pom:4 from/to central\n", Network, None),
    (
        "warning: spurious network error (3 tries remaining): [6] Couldn't resolve host\n",
        Network,
        None,
    ),
    ("toomanyrequests: You have reached your pull rate limit.\n", Network, None),
    ("ERROR: HTTP error 503 Service Unavailable while getting https://x\n", Network, None),
];

#[test]
fn trouble_of_the_surroundings_is_known_by_what_tools_print() {
    for (output, category, missing) in TROUBLES {
        let noisy = format!("building\nstep 1\n{output}bye\n");
        let found = seen("make test", 1, &noisy, true).trouble.expect(output);
        assert_eq!(found.category, *category, "{output}");
        assert_eq!(found.missing.as_ref().map(|m| m.name.as_str()), *missing, "{output}");
        let line = found.line.expect("a line");
        assert!(output.contains(&line), "{line}");
        assert!(found.without_work.is_none() && !found.since_start);
    }
}

#[test]
fn every_row_of_the_table_is_shown_by_an_output() {
    for (row, pattern) in TROUBLE_ROWS.iter().filter(|(row, _)| row.looks != Looks::Command) {
        let mut outputs = TROUBLES.iter().map(|(output, ..)| *output).chain([
            "LoadError: cannot load such file -- rspec\n",
            "MongoServerSelectionError: x\n",
            "read tcp 10.0.0.1:443: connection reset by peer\n",
        ]);
        assert!(outputs.any(|output| pattern.is_match(output)), "{}", row.pattern);
    }
    for (row, pattern) in WORK_ROWS.iter() {
        let mut texts = WORKS.iter().map(|(command, output, _)| match row.looks {
            Looks::Command => *command,
            Looks::Output | Looks::OutputWithNetwork => *output,
        });
        assert!(texts.any(|text| pattern.is_match(text)), "{}", row.pattern);
    }
}

#[test]
fn without_a_network_no_line_about_one_is_believed() {
    let refused = "Error: connect ECONNREFUSED 127.0.0.1:5432\n";
    assert_eq!(seen("npm test", 1, refused, false).trouble, None);
    assert!(seen("npm test", 1, refused, true).trouble.is_some());
    // What has nothing to do with one is.
    assert!(seen("npm test", 1, "ENOSPC", false).trouble.is_some());
}

/// What tools print when the work is at fault: command, output, category.
const WORKS: &[(&str, &str, Category)] = &[
    ("npm test", "AssertionError [ERR_ASSERTION]: 3 == 4\n", Test),
    ("pytest", "E   assert 3 == 4\nFAILED tests/test_sum.py::test_adds\n", Test),
    ("cargo test", "thread 'sum' panicked at src/lib.rs:3:5:\nassertion failed\n", Test),
    ("go test ./...", "--- FAIL: TestAdds (0.00s)\n    sum_test.go:9: got 3, want 4\n", Test),
    ("mvn test", "[ERROR] Tests run: 3, Failures: 1 <<< FAILURE!\n", Test),
    ("make test", "sum.c:3:5: error: 'x' undeclared\n", Compile),
    (
        "make",
        "/usr/bin/ld: main.o: undefined reference to `add'\ncollect2: error: ld returned 1 exit status\n",
        Compile,
    ),
    (
        "cargo test",
        "error[E0425]: cannot find value `x` in this scope\n --> src/lib.rs:2:5\n",
        Compile,
    ),
    ("go test ./...", "./sum.go:3:5: undefined: x\nFAIL\tshop [build failed]\n", Compile),
    (
        "mvn -q test",
        "[ERROR] COMPILATION ERROR :\n[ERROR] /w/A.java:[3,5] cannot find symbol\n",
        Compile,
    ),
    ("pytest", "  File \"a.py\", line 3\n    def x(:\nSyntaxError: invalid syntax\n", Compile),
    ("npm test", "Error: Cannot find module './cart'\nRequire stack:\n", Compile),
    ("npm run build", "rollup failed\n", Compile),
    ("npx tsc --noEmit", "src/app.ts(3,5): error TS2304: Cannot find name 'x'.\n", Type),
    ("mypy shop", "shop/a.py:3: error: Incompatible return value type  [return-value]\n", Type),
    ("pyright", "2 errors, 0 warnings\n", Type),
    ("npx eslint .", "/w/a.js\n  1:7  error  'x' is never used\n\n✖ 1 problem (1 error)\n", Lint),
    (
        "cargo clippy -- -D warnings",
        "error: this loop\n  = help: clippy::needless_range_loop\n",
        Lint,
    ),
    ("ruff check", "a.py:1:1: F401 `os` imported but unused\n", Lint),
    ("cargo fmt --check", "Diff in /w/src/lib.rs:3:\n", Lint),
    ("npm run lint", "2 files differ\n", Lint),
    ("npm audit --audit-level=high", "lodash  <4.17.21\nSeverity: high\n", Security),
    ("cargo audit", "Crate: time\nID: RUSTSEC-2020-0071\n", Security),
];

#[test]
fn failures_of_the_work_are_told_apart() {
    for (command, output, category) in WORKS {
        let found = seen(command, 1, output, true);
        assert_eq!(found.work.category, *category, "{command}: {output}");
        assert_eq!(found.trouble, None, "{command}: {output}");
    }
}

#[test]
fn a_check_that_ran_out_of_time_or_could_not_run_is_never_about_tests() {
    let of = |outcome: Outcome, lost: bool| {
        let (command, output) = ("make test", "FAILED 3 tests");
        causes(&[], &CheckEvidence { command, outcome: &outcome, lost, output, network: true })
    };
    assert_eq!(of(Outcome::TimedOut, false).work.category, Timeout);
    // A script of the work that is not there is for the work to bring.
    let own = seen("./check.sh", 127, "sh: 1: ./check.sh: not found\n", true);
    assert_eq!((own.trouble, own.work.category), (None, Code));
    assert_eq!(
        of(Outcome::OverLimit { what: "512 processes".to_owned() }, false).work.category,
        Code
    );
    let started = of(Outcome::CouldNotStart { message: "fork failed".to_owned() }, false);
    assert_eq!(started.trouble.unwrap().category, Infra);
    assert_eq!(of(Outcome::Signalled { signal: 9 }, true).trouble.unwrap().category, Infra);
    let full = Outcome::OverLimit { what: "the disk has to keep 1024 MiB free".to_owned() };
    assert_eq!(of(full, false).trouble.unwrap().category, Disk);
}

#[test]
fn own_rules_come_first_and_may_be_about_checks_alone() {
    let rule = |pattern: &str, category| FailureRule {
        pattern: Some(pattern.to_owned()),
        exit: None,
        backend: None,
        of: Some(RuleOf::Check),
        category,
        reset: None,
        message: None,
    };
    let outcome = Outcome::Exited { code: 1 };
    let output = "E2E-GRID: no free browser\nsh: 1: npm: not found\n";
    let evidence =
        CheckEvidence { command: "e2e", outcome: &outcome, lost: false, output, network: false };
    let found = causes(&[rule("^E2E-GRID", Infra)], &evidence).trouble.unwrap();
    assert_eq!(found.category, Infra);
    assert_eq!(found.line.as_deref(), Some("E2E-GRID: no free browser"));
    let external = causes(&[rule("no free", External)], &evidence).trouble.unwrap();
    assert_eq!(external.category, External);
    let lint = causes(&[rule("browser", Lint)], &evidence);
    assert_eq!((lint.trouble, lint.work.category), (None, Lint));
    let attempts = FailureRule { of: Some(RuleOf::Attempt), ..rule("E2E", Infra) };
    assert_eq!(causes(&[attempts], &evidence).trouble.unwrap().category, Environment);
    let limit = causes(&[rule("E2E", Category::Limit)], &evidence);
    assert_eq!(limit.trouble.unwrap().category, Environment, "no check has a provider's limit");
}

#[test]
fn words_about_a_failure_get_the_category_of_the_first_rule_that_fits() {
    assert_eq!(category_of(&[], "the registry answered 503 Service Unavailable"), Some(Network));
    assert_eq!(category_of(&[], "error TS2304: Cannot find name 'x'"), Some(Type));
    assert_eq!(category_of(&[], "something went wrong"), None);
}

#[test]
fn what_is_missing_says_how_its_coming_shows() {
    let missing = |kind, name: &str| Missing { kind, name: name.to_owned() };
    assert_eq!(missing(MissingKind::Tool, "npm").check().as_deref(), Some("command -v npm"));
    assert_eq!(missing(MissingKind::Tool, "a; rm -rf x").check(), None);
    assert_eq!(missing(MissingKind::Tool, "JAVA_HOME").check(), None);
    assert_eq!(missing(MissingKind::Key, "API_KEY").check(), None);
}

#[test]
fn a_long_output_is_searched_from_its_end() {
    let long = format!("ENOSPC\n{}\nfine\n", "ü".repeat(MAX_SEARCHED));
    assert_eq!(seen("make", 1, &long, true).trouble, None);
}
