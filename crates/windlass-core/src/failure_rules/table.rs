//! The built-in rules: what common tools print when a check fails, and what kind of failure that is.
//!
//! The first rule that matches counts, so narrow ones come before wide ones. What a rule says about the
//! surroundings is only a suspicion: judged code can print anything, and the verifier looks whether the
//! same happens without it.

use super::Category::{self, Compile, Disk, Environment, Infra, Lint, Network, Security, Type};
use super::MissingKind::{self, Dependency, Key, Tool};

/// What a rule looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Looks {
    /// At what the command printed.
    Output,
    /// The same, where the command could reach something: without a network every such line is either
    /// the work's own doing or was there on the base.
    OutputWithNetwork,
    /// At the command itself.
    Command,
}

/// One rule.
pub(super) struct Row {
    pub(super) category: Category,
    pub(super) looks: Looks,
    /// What the first group of the pattern names.
    pub(super) missing: Option<MissingKind>,
    pub(super) pattern: &'static str,
}

const fn output(category: Category, pattern: &'static str) -> Row {
    Row { category, looks: Looks::Output, missing: None, pattern }
}

const fn online(category: Category, pattern: &'static str) -> Row {
    Row { category, looks: Looks::OutputWithNetwork, missing: None, pattern }
}

const fn command(category: Category, pattern: &'static str) -> Row {
    Row { category, looks: Looks::Command, missing: None, pattern }
}

const fn lacks(kind: MissingKind, pattern: &'static str) -> Row {
    Row { category: Environment, looks: Looks::Output, missing: Some(kind), pattern }
}

/// Rules about the surroundings.
pub(super) const TROUBLE: &[Row] = &[
    // Programs. A path is a file of the work, which the work has to bring.
    lacks(Tool, r"(?:^|: )(?:line )?\d+: ([A-Za-z_][\w.+-]*): (?:command )?not found\s*$"),
    lacks(Tool, r"^(?:/bin/)?(?:ba|da|z|k)?sh: ([A-Za-z_][\w.+-]*): (?:command )?not found\s*$"),
    lacks(Tool, r"^zsh: command not found: ([A-Za-z_][\w.+-]*)\s*$"),
    lacks(Tool, r"^make(?:\[\d+\])?: ([A-Za-z_][\w.+-]*): No such file or directory\s*$"),
    lacks(Tool, r"\benv: ['‘`]?([A-Za-z_][\w.+-]*)['’`]?: No such file or directory\s*$"),
    lacks(Tool, r"\bspawn ([A-Za-z_][\w.+-]*) ENOENT\b"),
    lacks(Tool, r#"exec: "([A-Za-z_][\w.+-]*)": executable file not found in \$PATH"#),
    lacks(Tool, r"^error: linker `([A-Za-z_][\w.+-]*)` not found"),
    lacks(Tool, r"^error: no such command: `([\w-]+)`"),
    lacks(Tool, r"^error: '([\w.+-]+)' is not installed for the toolchain"),
    lacks(Tool, r"error: command '([A-Za-z_][\w.+-]*)' failed: No such file or directory"),
    lacks(
        Tool,
        r"FileNotFoundError: \[Errno 2\] No such file or directory: '([A-Za-z_][\w+-]*)'\s*$",
    ),
    lacks(Tool, r"No (CMAKE_\w+_COMPILER) could be found"),
    lacks(Tool, r"The (JAVA_HOME) environment variable is not defined correctly"),
    // Keys.
    lacks(
        Key,
        r"^\S+: (?:line )?\d+: ([A-Z][A-Z0-9_]+): (?:unbound variable|parameter (?:null or )?not set)",
    ),
    lacks(
        Key,
        r"(?i:missing|required|unset)(?i: required)?(?i: environment| env)(?i: variables?| vars?)?:? [`'\x22]?([A-Z][A-Z0-9_]{2,})\b",
    ),
    lacks(
        Key,
        r"\b([A-Z][A-Z0-9_]*(?:KEY|TOKEN|SECRET|PASSWORD|CREDENTIALS?|DSN|DATABASE_URL)[A-Z0-9_]*)\b[`'\x22]?(?: environment variable)? (?i:is |must be |was )?(?:not set|set|missing|required|undefined|not defined|empty)\b",
    ),
    lacks(Key, r"\bKeyError: '([A-Z][A-Z0-9_]*(?:KEY|TOKEN|SECRET|PASSWORD|URL|DSN)[A-Z0-9_]*)'"),
    lacks(Key, r"(?:setting|set) the ([A-Z][A-Z0-9_]*(?:KEY|TOKEN)) environment variable"),
    output(
        Environment,
        r"Unable to locate credentials|Could not load the default credentials|NoCredentialProviders",
    ),
    online(
        Environment,
        r"npm (?:ERR!|error) code (?:E401|ENEEDAUTH)|unauthorized: authentication required|fatal: Authentication failed for",
    ),
    // Dependencies that nobody installed. Modules of the work look the same: the base tells them apart.
    lacks(Dependency, r"python[\d.]*: No module named ([A-Za-z_][\w.]*)"),
    lacks(Dependency, r"ModuleNotFoundError: No module named '([A-Za-z_][\w.]*)'"),
    lacks(Dependency, r"Cannot find (?:module|package) '([A-Za-z@][^']*)'"),
    lacks(Dependency, r"Could NOT find ([A-Za-z]\w+) \(missing:"),
    lacks(Dependency, r"cannot load such file -- ([A-Za-z][\w-]*)"),
    lacks(Dependency, r"no required module provides package ([\w./-]+)"),
    // The machine.
    output(Infra, r"System limit for number of file watchers reached"),
    output(
        Disk,
        r"\bENOSPC\b|No space left on device|[Dd]isk quota exceeded|\bEDQUOT\b|database or disk is full",
    ),
    output(
        Infra,
        r"\bENOMEM\b|[Cc]annot allocate memory|JavaScript heap out of memory|java\.lang\.OutOfMemoryError|fatal error: runtime: out of memory|signal: 9, SIGKILL|signal: killed|^Killed\s*$",
    ),
    output(
        Infra,
        r"\bEMFILE\b|\bENFILE\b|Too many open files|Resource temporarily unavailable|\bEROFS\b|Read-only file system|Stale file handle|Input/output error|Text file busy",
    ),
    output(
        Infra,
        r"Cannot connect to the Docker daemon|Error response from daemon: (?:Get|error creating|driver failed)",
    ),
    output(Infra, r"the database system is (?:starting up|shutting down)|too many clients already"),
    online(
        Infra,
        r"connection to server (?:at|on) .* failed|[Cc]ould not connect to server|Can't connect to (?:local )?MySQL server|Could not connect to Redis|MongoServerSelectionError|MongoNetworkError",
    ),
    // The network.
    online(
        Network,
        r"\b(?:ECONNREFUSED|ECONNRESET|ETIMEDOUT|EAI_AGAIN|ENOTFOUND|ENETUNREACH|EHOSTUNREACH|ERR_SOCKET_TIMEOUT)\b",
    ),
    online(
        Network,
        r"(?i:could not resolve host)|Temporary failure in name resolution|Name or service not known|nodename nor servname provided|no such host|UnknownHostException",
    ),
    online(
        Network,
        r"(?i:connection (?:refused|timed out|reset by peer))|Network is unreachable|No route to host|i/o timeout|TLS handshake timeout|Read timed out",
    ),
    online(
        Network,
        r"Failed to establish a new connection|java\.net\.(?:Connect|SocketTimeout|NoRouteToHost)Exception|Could not transfer artifact|spurious network error|error sending request for url|SSL_ERROR_SYSCALL",
    ),
    online(
        Network,
        r"\b429 Too Many Requests\b|toomanyrequests:|\b50[234] (?:Bad Gateway|Service (?:Temporarily )?Unavailable|Gateway Time-?out)\b",
    ),
];

/// Rules about the work; what none of them fits is `test`.
pub(super) const WORK: &[Row] = &[
    output(
        Type,
        r"\berror TS\d+:|: error: .*  ?\[[a-z][a-z-]+\]\s*$|- error: .* \(report[A-Z]\w+\)",
    ),
    output(
        Compile,
        r"^error\[E\d{4}\]|^error: could not compile|^error: expected |\bundefined reference to\b|ld returned \d+ exit status",
    ),
    output(Compile, r"^\S+\.(?:c|cc|cpp|cxx|h|hpp|m|swift):\d+:(?:\d+:)? (?:fatal )?error:"),
    output(
        Compile,
        r"COMPILATION ERROR|\.java:\[\d+,\d+\]|\.java:\d+: error:|\.kt:\d+:\d+:? |error CS\d{4}:|\(CompileError\)",
    ),
    output(
        Compile,
        r"\[(?:build|setup) failed\]|^\S+\.go:\d+:\d+: (?:undefined|cannot use|syntax error|imported and not used|declared and not used|missing return)",
    ),
    output(
        Compile,
        r"^\s*(?:SyntaxError|IndentationError|TabError)\b|Cannot find module|ImportError while importing test module|^E\s+(?:ModuleNotFoundError|ImportError|SyntaxError)\b|PHP (?:Parse|Fatal) error|syntax error, unexpected",
    ),
    command(
        Security,
        r"\b(?:npm|yarn|pnpm|cargo|bundle|pip)[ -]audit\b|\bcargo deny\b|\b(?:bandit|semgrep|trivy|gitleaks|snyk|govulncheck|brakeman|osv-scanner)\b",
    ),
    output(
        Lint,
        r"^✖ \d+ problems?|\bclippy::\w+|\d+ offenses? detected|Code style issues (?:found|were found)|^Diff in /|^would reformat |: [EWFC]\d{3,4} |: error: .*\((?:revive|govet|staticcheck|errcheck)\)",
    ),
    command(
        Lint,
        r"\b(?:eslint|ruff|flake8|pylint|clippy|golangci-lint|rubocop|prettier|biome|stylelint|rustfmt|gofmt|checkstyle|ktlint|shellcheck|phpcs|credo)\b|\bfmt\b|\bblack\b|\blint\b",
    ),
    command(Type, r"\b(?:tsc|vue-tsc|mypy|pyright|typecheck|type-check)\b"),
    command(
        Compile,
        r"\b(?:cargo (?:build|check)|go (?:build|vet)|mvn (?:-\S+ )*compile|javac|gcc|g\+\+|npm run build|dotnet build|mix compile)\b",
    ),
];
