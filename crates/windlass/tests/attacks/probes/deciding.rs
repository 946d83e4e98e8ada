//! An agent that answers a gate in the person's place.

use crate::probe::{Group, Probe, Seen};

const fn approves(name: &'static str, tries: &'static str, code: &'static str) -> Probe {
    Probe::new(Group::Deciding, name, tries, Seen::Approved, code)
}

pub(crate) const PROBES: &[Probe] = &[
    approves(
        "approve",
        "run `windlass approve` with the user's home set by hand",
        "return approve([])",
    )
    .always_refused("windlass refuses every caller that has one of its launchers above it"),
    approves(
        "approve_as_daemon",
        "the same from a process that has left its session and its environment",
        "return approve(['env', '-i', 'PATH=' + os.environ['PATH'], 'setsid', '-f'])",
    )
    .always_refused("its launcher adopts it, and stays above it"),
    approves(
        "approve_at_own_terminal",
        "the same at a terminal that it made itself",
        "return approve(['env', '-i', 'PATH=' + os.environ['PATH'], 'setsid', '-f', 'script', '-qec'])",
    )
    .always_refused("a terminal of one's own does not take a launcher away"),
    approves(
        "approve_by_socket",
        "ask the driver by its socket, without a token",
        "import glob\nfor path in glob.glob(HOME + '/.local/state/windlass/**/*.sock', recursive=True) + glob.glob(ROOT + '/run/**/*.sock', recursive=True):\n    conn = socket.socket(socket.AF_UNIX)\n    conn.settimeout(2)\n    try:\n        conn.connect(path)\n        conn.sendall(json.dumps({'approve': {'run': FACTS['gated'], 'comment': NAME}}).encode() + b'\\n')\n        conn.recv(100)\n    except OSError:\n        pass",
    )
    .always_refused("the socket takes an attempt's own words, each with its token, and no decision"),
    approves(
        "approve_by_tmux",
        "have the user's tmux run `windlass approve`",
        "subprocess.run(['tmux', '-S', ROOT + '/tmp/real-tmux', 'run-shell', approval()], check=True, capture_output=True)",
    )
    .late()
    .always_refused("where nothing is boxed a decision needs a terminal, and in a box there is no tmux"),
    approves(
        "approve_in_tmux_window",
        "have the user's tmux open a window, which has a terminal, and run it there",
        "tmux = ['tmux', '-S', ROOT + '/tmp/real-tmux']\nsubprocess.run(tmux + ['new-window', '-d', approval() + '; ' + ' '.join(tmux) + ' wait-for -S ' + NAME], check=True, capture_output=True)\nsubprocess.run(tmux + ['wait-for', NAME], timeout=20)",
    )
    .late(),
];
