//! All probes at one level, in one run: an attempt and a check try everything, the next attempt looks
//! for what was left, and one without a network tries that again.

use std::collections::BTreeMap;
use std::process::{Child, Stdio};

use serde_json::json;
use windlass_testkit::wait;

use crate::probe::{Group, Probe, Seen};
use crate::session::{Plan, Transcript};
use crate::table::Cell;
use crate::world::{Level, Who, World, said};

/// Files of the user's that hold the secret.
const PLANTED: &[&str] = &[
    "home/.ssh/id_ed25519",
    "home/.aws/credentials",
    "home/.cargo/credentials.toml",
    "home/.npmrc",
    "home/.config/gh/hosts.yml",
    "home/.git-credentials",
    "home/.netrc",
    "home/.m2/settings.xml",
    "home/.gradle/gradle.properties",
    "home/.docker/config.json",
    "home/.kube/config",
    "home/.gnupg/private-keys",
    "home/.config/google-chrome/Default/Cookies",
    "home/.bash_history",
    "home/.claude/.credentials.json",
    "home/other/notes.txt",
    "home/project/.env",
    "home/.local/share/windlass/places/other/run/notes.txt",
    "secret",
];

/// Folders of tools, so that what lies beside keys is shown.
const TOOLS: &[&str] = &[
    "home/.bun/bin/bun",
    "home/.cargo/bin/tool",
    "home/.cargo/registry/src/dep/lib.rs",
    "home/.gradle/caches/x",
    "home/.m2/repository/x",
    "home/.local/bin/tool",
    "home/.local/share/pnpm/store/x",
    "home/.mix/archives/x",
];

/// What the attempt and its check try.
const TOGETHER: [Group; 6] =
    [Group::Reading, Group::Writing, Group::Others, Group::Kernel, Group::Deciding, Group::Network];

const GATED: &str = "\
workflow: gated
defaults: {retries: 1, timeout: 30s}
steps:
  - {id: work, agent: coder, task: Do it., done: {file: work.txt}, gate: approval}
";

/// Somebody else's process; it ends when its input does.
struct Neighbour(Child);

impl Drop for Neighbour {
    fn drop(&mut self) {
        drop(self.0.stdin.take());
        // It removes what it made outside the world.
        let _ = self.0.wait();
    }
}

/// Runs every probe and returns what came of each.
pub(crate) fn run(probes: &[Probe], who: Who, level: Level) -> BTreeMap<&'static str, Cell> {
    let world = World::new(who, level);
    let secret = format!("planted-{}", uuid());
    let outside = plant(&world, &secret);
    let neighbour = start_neighbour(&world, &secret);
    let tmux = start_tmux(&world);
    let gated = stand_at_gate(&world);
    prepare(&world, probes, &gated);
    let (told, finished, gates) = if level == Level::Hosted {
        let (told, session) = drive_hosted(&world, probes, &secret);
        (told, session.told(), vec![gated, session.run().to_owned()])
    } else {
        let finished = drive(&world, &secret);
        (collect(&world, &finished), said(&finished), vec![gated])
    };
    let heard = world.read("heard");
    let inputs_of = |run: &String| {
        let log = world.windlass(&["log", "--json", "--inputs", "--run", run]);
        String::from_utf8_lossy(&log.stdout).into_owned()
    };
    let approvals: String = gates.iter().map(inputs_of).collect();
    let seen = |probe: &Probe| {
        let results: Vec<&String> = told.iter().filter(|line| of(line, probe.name)).collect();
        assert!(
            !results.is_empty(),
            "{}: no result at {level:?}, {who:?}: {}",
            probe.name,
            finished
        );
        let tells = |wanted: &str| results.iter().any(|line| line.contains(wanted));
        let is_open = match probe.seen {
            Seen::Told => tells(" open "),
            Seen::Secret => tells(&secret),
            Seen::Wrote(path) => world.read(path).contains(&format!("owned {}-", probe.name)),
            Seen::Heard => heard.contains(&format!("{}-", probe.name)),
            Seen::Approved => {
                let approved = approvals.lines().filter(|line| line.contains("gate_approved"));
                approved.into_iter().any(|line| line.contains(&format!("{}-", probe.name)))
            }
            Seen::Found(_) => results.iter().any(|line| line.contains(" look open ")),
        };
        if is_open { Cell::Open } else { Cell::Refused }
    };
    let cells = probes.iter().map(|probe| (probe.name, seen(probe))).collect();
    if std::env::var_os("WINDLASS_SHOW_ATTACKS").is_some() {
        crate::tell(&format!("{level:?} {who:?}\n{}", told.join("\n")));
    }
    drop((neighbour, tmux));
    for path in outside {
        // One that a probe removed is gone.
        let _ = fs_err::remove_file(path);
    }
    cells
}

/// Whether a line is about a probe.
fn of(line: &str, name: &str) -> bool {
    line.split(' ').nth(1) == Some(name)
}

fn uuid() -> String {
    fs_err::read_to_string("/proc/sys/kernel/random/uuid").expect("chance").trim().to_owned()
}

/// Plants keys; returns those that lie outside the world.
fn plant(world: &World, secret: &str) -> Vec<std::path::PathBuf> {
    for path in PLANTED {
        world.file(path, &format!("{secret}\n"));
    }
    for path in TOOLS {
        world.file(path, "a tool's\n");
    }
    for path in ["home/.bashrc", "home/.profile", "home/.gitconfig", "home/.ssh/authorized_keys"] {
        world.file(path, "");
    }
    let name = world.root().file_name().expect("a name").to_string_lossy().into_owned();
    let places =
        [("/tmp", "secret"), ("/dev/shm", "secret"), ("/tmp", "left"), ("/dev/shm", "left")];
    let [tmp, shm, left_tmp, left_shm] = places.map(|(folder, kind)| {
        let file = if kind == "left" { format!("left-{name}") } else { format!("{name}.secret") };
        std::path::Path::new(folder).join(file)
    });
    for path in [&tmp, &shm] {
        fs_err::write(path, secret).expect("a planted file");
    }
    vec![tmp, shm, left_tmp, left_shm]
}

fn start_neighbour(world: &World, secret: &str) -> Neighbour {
    let root = world.root().to_string_lossy().into_owned();
    let stage = format!("{root}/stage.py");
    world.file("stage.py", include_str!("stage.py"));
    let token = format!("--token={secret}");
    let mut command = world.command(&["python3", &stage, "neighbour", &root, &token]);
    let log = fs_err::File::create(world.root().join("neighbour.log")).expect("a log");
    command.env("MY_API_TOKEN", secret).stdin(Stdio::piped()).stdout(Stdio::null());
    let child = command.stderr(log.into_parts().0).spawn().expect("python3");
    let neighbour = Neighbour(child);
    let facts = world.root().join("facts.json");
    let there = wait::until(std::time::Duration::from_secs(30), || facts.exists().then_some(()));
    assert!(there.is_some(), "the neighbour did not start: {}", world.read("neighbour.log"));
    neighbour
}

/// A real tmux of the user's, which ends with the value; without the program the attack cannot happen.
fn start_tmux(world: &World) -> Option<Tmux> {
    let socket = world.root().join("tmp/real-tmux").to_string_lossy().into_owned();
    let mut command = world.command(&["tmux", "-S", &socket, "new-session", "-d", "sleep 600"]);
    command.env("TERM", "xterm").stdout(Stdio::null());
    let started = command.status().is_ok_and(|status| status.success());
    assert!(started, "the suite needs tmux");
    Some(Tmux(world.command(&["tmux", "-S", &socket, "kill-server"])))
}

struct Tmux(std::process::Command);

impl Drop for Tmux {
    fn drop(&mut self) {
        let _ = self.0.output();
    }
}

/// Brings a run to a gate that only the person may answer, and returns it.
fn stand_at_gate(world: &World) -> String {
    world.file("home/project/.gitignore", ".env\n");
    world.file("home/project/probes.py", "print('nothing yet')\n");
    world.commit();
    world.file("home/gated.yaml", GATED);
    let workflow = world.root().join("home/gated.yaml").to_string_lossy().into_owned();
    let finished = world.windlass(&world.run_words(&workflow, "echo work > work.txt"));
    let status = world.status(None);
    assert_eq!(status["run"]["status"], "awaiting_approval", "{}", said(&finished));
    status["run"]["id"].as_str().expect("a run").to_owned()
}

/// Writes what the agents run.
fn prepare(world: &World, probes: &[Probe], gated: &str) {
    let mut list = Vec::new();
    let hosted = world.level == Level::Hosted;
    for probe in probes {
        // What closes the gate comes last, so that it is open for all others; a session has a gate for
        // each.
        let group = if probe.late && !hosted { "look" } else { probe.group.word() };
        list.push(json!({"name": probe.name, "group": group, "code": probe.code}));
        if let Seen::Found(look) = probe.seen {
            list.push(json!({"name": probe.name, "group": "look", "code": look}));
        }
    }
    let list = serde_json::to_string(&list).expect("JSON");
    // JSON within a literal of Python: the same escapes hold in both.
    let literal = serde_json::to_string(&list).expect("a literal");
    world.file("probes.in", &include_str!("probe.py").replace("@PROBES@", &literal));
    let more = json!({"gated": gated, "windlass": world.windlass_path()});
    world.file("more.json", &more.to_string());
    let together = TOGETHER.map(Group::word).join(",");
    let network = if world.level == Level::Provider { "provider" } else { "on" };
    let gates: String = deciding(probes).filter(|_| hosted).map(gate_for).collect();
    world.file(
        "home/attacked.yaml",
        &format!(
            "workflow: attacked
defaults: {{retries: 1, timeout: 90s, network: {network}}}
steps:
{gates}  - {{id: first, agent: first, task: Attack., done: {{run: \"python3 probes.py check {together}\", cache: false}}}}
  - {{id: second, agent: second, task: Look., done: {{file: second.txt}}}}
  - {{id: quiet, agent: third, task: Attack., network: \"off\", done: {{file: quiet.txt}}}}
"
        ),
    );
    world.file(
        "home/agent.sh",
        &format!(
            "cat > /dev/null
case $WINDLASS_STEP in
first) cp \"$1\" probes.py; python3 \"$1\" attempt {together},staying;;
second) python3 \"$1\" look look; echo done > second.txt;;
quiet) python3 \"$1\" attempt network_off; echo done > quiet.txt;;
esac
exit 0
"
        ),
    );
}

fn deciding(probes: &[Probe]) -> impl Iterator<Item = &Probe> {
    probes.iter().filter(|probe| probe.group == Group::Deciding)
}

/// A step with a gate at which one probe tries to answer for the person.
fn gate_for(probe: &Probe) -> String {
    let name = probe.name;
    format!(
        "  - {{id: {name}, agent: coder, task: Do it., done: {{file: {name}.txt}}, gate: approval}}\n"
    )
}

/// The same in a session. It stands at a gate of its own for every probe that wants to decide; a process
/// of the session plays it there, and then the person approves.
fn drive_hosted(world: &World, probes: &[Probe], secret: &str) -> (Vec<String>, Transcript) {
    let root = world.root().to_string_lossy().into_owned();
    let script = format!("{root}/home/probes.py");
    let at_gate = deciding(probes)
        .map(|probe| format!("python3 {script} session deciding {} $RUN", probe.name))
        .collect();
    // At its own gates the run is the session's; here only checks try to decide, about another run.
    let together: Vec<&str> = TOGETHER
        .iter()
        .filter(|group| **group != Group::Deciding)
        .map(|group| group.word())
        .collect();
    let agent = format!(
        "case $WINDLASS_STEP in
first) cp {script} probes.py; python3 {script} attempt {},staying;;
second) python3 {script} look look; echo done > second.txt;;
quiet) python3 {script} attempt network_off; echo done > quiet.txt;;
*) echo work > $WINDLASS_STEP.txt;;
esac
",
        together.join(",")
    );
    let plan = Plan {
        workflow: &format!("{root}/home/attacked.yaml"),
        agent: &agent,
        variables: json!({}),
        tries: 1,
        early: &[],
        at_gate,
        approves: true,
        around: &["python3", &format!("{root}/stage.py"), "drive", &root],
    };
    let transcript = plan.play(world, &[("MY_API_TOKEN", secret)]);
    let proofs = world.windlass(&["proofs", "--all", "--output", "--run", transcript.run()]);
    let proofs = results(&String::from_utf8_lossy(&proofs.stdout));
    assert!(!proofs.is_empty(), "no check was run: {}", transcript.told());
    ([results(&transcript.printed()), proofs].concat(), transcript)
}

/// The lines that probes printed.
fn results(text: &str) -> Vec<String> {
    text.lines().filter_map(|line| line.find("RESULT ").map(|at| line[at..].to_owned())).collect()
}

fn drive(world: &World, secret: &str) -> std::process::Output {
    let root = world.root().to_string_lossy().into_owned();
    let (stage, exe) = (format!("{root}/stage.py"), world.windlass_path());
    let exe = exe.to_string_lossy();
    let workflow = format!("{root}/home/attacked.yaml");
    let agent = format!("sh {root}/home/agent.sh {root}/home/probes.py");
    let mut words = vec!["timeout", "200", "python3", &*stage, "drive", &*root, &*exe];
    words.extend(world.run_words(&workflow, &agent));
    words.push("--json");
    world.command(&words).env("MY_API_TOKEN", secret).output().expect("windlass")
}

/// What the probes said, one line each.
fn collect(world: &World, finished: &std::process::Output) -> Vec<String> {
    let status: serde_json::Value = serde_json::from_slice(&finished.stdout).unwrap_or_default();
    let run = status["run"]["id"].as_str();
    let run = run.unwrap_or_else(|| panic!("there is no run: {}", said(finished))).to_owned();
    let mut lines = Vec::new();
    let mut take = |arguments: &[&str]| {
        let output = world.windlass(&[arguments, &["--run", &run]].concat());
        lines.extend(results(&String::from_utf8_lossy(&output.stdout)));
    };
    for attempt in ["first#1", "second#1", "quiet#1"] {
        take(&["log", "--attempt", attempt]);
    }
    take(&["proofs", "--all", "--output"]);
    lines
}
