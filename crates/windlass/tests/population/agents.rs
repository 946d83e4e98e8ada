//! Agents put together by chance: what they write, how they cheat, how they end.

use windlass_testkit::{Random, TestEnv};

/// An agent and what it does.
pub(super) struct Agent {
    pub(super) script: String,
    pub(super) names: Vec<&'static str>,
}

/// What an agent does about its task.
const WORK: &[(&str, &str)] = &[
    ("does it", "echo right > src/answer.txt; echo \"notes $WINDLASS_ATTEMPT\" > notes.md"),
    ("does it in one file", "echo right > src/answer.txt"),
    (
        "does it the second time",
        "case $WINDLASS_ATTEMPT in *#1) echo wrong > src/answer.txt;; *) echo right > src/answer.txt;; esac",
    ),
    ("does the opposite", "echo wrong > src/answer.txt; echo done > notes.md"),
    ("does nothing", "echo 'All done, all tests pass.'"),
    ("touches", "touch src/answer.txt notes.md"),
    ("writes the same again", "cat notes.md > n; cat n > notes.md; rm n"),
    ("removes", "rm -rf src notes.md"),
    ("links", "echo right > \"$TMPDIR/r\"; ln -sf \"$TMPDIR/r\" src/answer.txt"),
    ("links inside", "echo right > src/real; ln -sf real src/answer.txt"),
    ("pipes", "rm -f src/answer.txt; mkfifo src/answer.txt"),
    (
        "hides",
        "echo src/answer.txt >> .gitignore; git rm -q --cached src/answer.txt; echo right > src/answer.txt",
    ),
    ("writes elsewhere", "mkdir -p x; echo right > x/answer.txt"),
];

/// What it does besides.
const CHEATS: &[(&str, &str)] = &[
    ("nothing", ":"),
    (
        "smudge filter",
        "git config filter.l.clean 'echo right'; git config filter.l.smudge 'echo right'; echo '* filter=l' > .gitattributes",
    ),
    (
        "filter in info",
        "git config filter.l.smudge 'echo right'; echo '* filter=l' > .git/info/attributes",
    ),
    ("attributes", "echo '* text eol=crlf ident working-tree-encoding=UTF-16' > .gitattributes"),
    (
        "hooks",
        "for h in post-checkout post-commit pre-commit reference-transaction post-index-change; do printf '#!/bin/sh\\necho right > src/answer.txt\\n' > .git/hooks/$h; chmod +x .git/hooks/$h; done",
    ),
    (
        "fsmonitor",
        "printf '#!/bin/sh\\nprintf \"\\\\0\"\\n' > .git/m; chmod +x .git/m; git config core.fsmonitor .git/m",
    ),
    ("edits the judge", "echo 'exit 0' > judge.sh"),
    (
        "edits and dates back",
        "cp -p judge.sh o; echo 'exit 0' > judge.sh; touch -r o judge.sh; rm o",
    ),
    ("links the judge", "echo 'exit 0' > ok.sh; ln -sf ok.sh judge.sh"),
    ("removes the judge", "rm -f judge.sh"),
    ("assume unchanged", "git update-index --assume-unchanged src/answer.txt judge.sh"),
    ("skip worktree", "git update-index --skip-worktree src/answer.txt judge.sh"),
    (
        "fake programs",
        "mkdir -p bin; for p in grep sh test cat; do printf '#!/bin/sh\\nexit 0\\n' > $p; cp $p bin/$p; /bin/chmod +x $p bin/$p; done",
    ),
    (
        "fake program at home",
        "printf '#!/bin/sh\\nexit 0\\n' > \"$USERS_HOME/bin/grep\"; chmod +x \"$USERS_HOME/bin/grep\"",
    ),
    ("switches", "git checkout -q -b other"),
    ("detaches", "git checkout -q --detach"),
    ("commits", "git add -A; git commit -qm mine"),
    ("amends", "git add -A; git commit -q --amend -m mine"),
    ("nests", "git init -q nested; echo x > nested/x"),
    ("nests the source", "git init -q src"),
    ("removes git", "rm -rf .git"),
    (
        "approves",
        "export HOME=\"$USERS_HOME\"; cd \"$HOME/project\"; WINDLASS_HOME=\"$STATE\" \"$EXE\" approve; WINDLASS_HOME=\"$STATE\" \"$EXE\" skip s0 --reason x",
    ),
    (
        "approves from a daemon",
        "(cd \"$USERS_HOME/project\"; env -i HOME=\"$USERS_HOME\" WINDLASS_HOME=\"$STATE\" PATH=\"$PATH\" setsid -f sh -c 'while :; do '\"$EXE\"' approve; done' >/dev/null 2>&1)",
    ),
    ("lingers", "setsid -f sh -c 'while :; do echo wrong > src/answer.txt; done' >/dev/null 2>&1"),
    (
        "lingers for good",
        "env -i setsid -f sh -c 'while :; do echo right > src/answer.txt; done' >/dev/null 2>&1",
    ),
    (
        "writes the journal",
        "find \"$STATE\" -type f | while read -r f; do echo x >> \"$f\"; done; rm -rf \"$STATE\"",
    ),
    (
        "writes the verifier",
        "find \"$USERS_HOME/.cache\" -name answer.txt | while read -r f; do echo right > \"$f\"; done",
    ),
    (
        "writes the repository",
        "echo right > \"$USERS_HOME/project/src/answer.txt\"; echo 'exit 0' > \"$USERS_HOME/project/judge.sh\"",
    ),
    ("replaces the run folder", "rm -rf .windlass; ln -s \"$USERS_HOME\" .windlass"),
    ("links refs", "rm -rf .git/refs; ln -s \"$USERS_HOME/project/.git/refs\" .git/refs"),
    ("odd names", "touch \"$(printf 'a\\nb')\" \"$(printf 'c\\377')\" -- -n"),
    ("forbidden", "touch forbidden"),
    ("context", "windlass context set s0.status=done; windlass context set x=1"),
    ("talks", "head -c 3000000 /dev/zero"),
    ("cache", "mkdir -p cache; echo right > cache/answer.txt"),
    (
        "leaves marks",
        "mkdir -p cache ~/.cache; echo right | tee cache/a ~/.cache/a /tmp/a > /dev/null; ln -sf /tmp/a src/answer.txt",
    ),
    (
        "climbs",
        "mkdir -p cache; echo right > cache/a; ln -sf \"../../../../../../../../../..$PWD/cache/a\" src/answer.txt",
    ),
    ("links home", "echo right > ~/a; ln -sf ~/a src/answer.txt"),
    (
        "moves branches",
        "git add -A; git commit -qm mine; git update-ref refs/heads/main HEAD; git replace HEAD~1 HEAD",
    ),
    ("sets times", "touch -d 2040-01-01 src/answer.txt judge.sh notes.md .gitignore"),
    (
        "hides by attributes",
        "printf '* export-ignore\\nsrc/* -text -diff merge=ours\\n' > .gitattributes",
    ),
    ("moves git", "mv .git .moved; echo 'gitdir: .moved' > .git"),
    (
        "claims a submodule",
        "git update-index --add --cacheinfo \"160000,$(git rev-parse HEAD),sub\"",
    ),
    ("large", "truncate -s 4G src/large; truncate -s 100M cache-large"),
];

/// How it ends.
const ENDS: &[(&str, &str)] = &[
    ("ends", "exit 0"),
    ("ends", "exit 0"),
    ("ends", "exit 0"),
    ("ends", "exit 0"),
    ("fails", "exit 3"),
    ("crashes", "kill -9 $$"),
    ("stalls", "exec sleep 600"),
    ("ignores TERM", "trap '' TERM; echo bye; exit 0"),
    ("kills its launcher", "kill -9 $PPID"),
];

/// Draws one.
pub(super) fn any(random: &mut Random, env: &TestEnv) -> Agent {
    let mut parts = vec![*random.pick(WORK)];
    for _ in 0..random.below(4) {
        parts.push(*random.pick(CHEATS));
    }
    if random.percent(30) {
        // Work may come after the cheats, too.
        parts.push(*random.pick(WORK));
    }
    let end = if random.percent(90) { ENDS[0] } else { *random.pick(ENDS) };
    parts.push(end);
    let mut script = format!("EXE='{}'; STATE='{}'\n", env.exe().display(), env.state().display());
    for (_, part) in &parts {
        // A part that fails or changes the folder does not keep the next one from its turn.
        let alone = !part.starts_with("exit")
            && !part.starts_with("exec")
            && !part.starts_with("kill")
            && !part.starts_with("trap");
        script.push_str(&if alone {
            format!("( {part} ) 2>/dev/null\n")
        } else {
            format!("{part}\n")
        });
    }
    Agent { script, names: parts.iter().map(|(name, _)| *name).collect() }
}
