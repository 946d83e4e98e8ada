"""A session that hosts a run, as Claude Code does: `host.py ROOT`, with what to play in `ROOT/session.json`.

It calls the hooks, and what they ask for it does: it starts the agent of a step, whose work is a script, and
ends it, so that windlass judges. Agents are plain children of the session, as its shell tool starts them:
with the user's home, folders and environment, and the session's terminal.

What happened is in `ROOT/session.log`, one JSON object in a line.
"""
import fcntl, json, os, pty, re, shlex, socket, subprocess, sys, termios, threading

ROOT = sys.argv[1]
PLAN = json.load(open(ROOT + '/session.json'))
PROJECT = os.getcwd()
SESSION = 'attacked-' + os.path.basename(ROOT)
ENV_FILE = ROOT + '/session-env.sh'
LOG = open(ROOT + '/session.log', 'w')
# Nobody is asked for inputs; a person's messages come as the plan has them.
OWN = dict(CLAUDECODE='1', CLAUDE_CODE_SESSION_ID=SESSION, CLAUDE_CODE_SESSION_ATTENDED='0', CLAUDE_PROJECT_DIR=PROJECT)
MOST_TURNS = 60


def note(**what):
    LOG.write(json.dumps(what) + '\n')
    LOG.flush()


def have_terminal():
    """A terminal of the session's own, whose screen nobody looks at."""
    os.setsid()
    screen, terminal = pty.openpty()
    fcntl.ioctl(terminal, termios.TIOCSCTTY, 0)

    def watch():
        while os.read(screen, 4096):
            pass
    threading.Thread(target=watch, daemon=True).start()


def hook(event, **body):
    """Calls a hook and returns its answer; its input is one end of an unnamed pair of sockets."""
    name = ''.join(word.capitalize() for word in event.split('-'))
    call = dict(session_id=SESSION, transcript_path='/nowhere.jsonl', cwd=PROJECT, hook_event_name=name, **body)
    ours, theirs = socket.socketpair()
    words = [PLAN['windlass'], 'hook', 'claude', event]
    child = subprocess.Popen(words, stdin=theirs, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                             env=dict(os.environ, CLAUDE_ENV_FILE=ENV_FILE, **OWN))
    theirs.close()
    ours.sendall(json.dumps(call).encode())
    ours.shutdown(socket.SHUT_WR)
    out, err = child.communicate()
    ours.close()
    note(hook=event, answer=out.decode(errors='replace')[:3000], error=err.decode(errors='replace')[:1000])
    return json.loads(out) if out.strip() else {}


def tool(agent, name, **tool_input):
    """What a tool is called with in the end; none where a guard refuses it."""
    tool.calls += 1
    who = dict(agent_id=agent, agent_type='windlass:any') if agent else {}
    answer = hook('pre-tool-use', tool_name=name, tool_input=tool_input, tool_use_id=f'toolu_{tool.calls}', **who)
    answer = answer.get('hookSpecificOutput', {})
    if answer.get('permissionDecision') == 'deny':
        note(denied=name, why=answer.get('permissionDecisionReason'))
        return None
    return answer.get('updatedInput') or tool_input


tool.calls = 0


def shell(command, **variables):
    """Runs a command as the session's shell tool does. The variables are no part of the environment: they
    stand for what an agent knows from its prompt."""
    knows = ''.join(f'{name}={shlex.quote(value)}\n' for name, value in variables.items())
    begin = f'test -e {ENV_FILE} && . {ENV_FILE}\n{knows}'
    # What the user's shell left open is open in the session, and in what it starts.
    path = os.path.dirname(PLAN['windlass']) + ':' + os.environ['PATH']
    with open(ROOT + '/shell.log', 'w+b') as out:
        subprocess.run(['sh', '-c', begin + command], stdin=subprocess.DEVNULL, stdout=out, stderr=out,
                       env=dict(os.environ, PATH=path, **OWN), close_fds=False, timeout=100)
        out.seek(0)
        note(ran=variables, said=out.read().decode(errors='replace'))


def works(agent, step, tries):
    """An agent plays its script as one call of its shell. If a guard refuses that, it does what every agent
    can: it writes the script into a file, and calls that."""
    known = dict(PLAN['variables'], WINDLASS_STEP=step, WINDLASS_ATTEMPT=f'{step}#{tries}')
    call = tool(agent, 'Bash', command=PLAN['agent'])
    if not call:
        # Written as a build would write it, which no guard sees; the variables go with it.
        path = f'{ROOT}/tmp/build-{step.replace("/", "-")}.sh'
        with open(path, 'w') as script:
            script.write(''.join(f'{name}={shlex.quote(value)}\n' for name, value in known.items()) + PLAN['agent'])
        call = tool(agent, 'Bash', command=f'sh {path}')
    if call:
        shell(call['command'], **known)


def at_gate(run):
    """What the session's own processes do while the run waits for the person."""
    if PLAN['at_gate']:
        shell(PLAN['at_gate'].pop(0), RUN=run)


def follows(instruction):
    """Starts the agent that windlass asks for, and ends it until windlass is content with it; returns whether
    the session goes on. The agent gives up after some tries."""
    field = {name: re.search(f'^{name}: (.*)$', instruction, re.M)[1] for name in ['subagent_type', 'description', 'prompt']}
    if not tool(None, 'Agent', **field):
        return False
    follows.agents += 1
    agent = f'agent{follows.agents}'
    hook('subagent-start', agent_id=agent, agent_type=field['subagent_type'])
    step = field['description'].rsplit('#', 1)[0]
    while True:
        follows.tries[step] = follows.tries.get(step, 0) + 1
        if follows.tries[step] > PLAN['tries']:
            return False
        works(agent, step, follows.tries[step])
        answer = hook('subagent-stop', agent_id=agent, agent_type=field['subagent_type'], stop_hook_active=False)
        if answer.get('decision') != 'block':
            return True


follows.agents, follows.tries = 0, {}


def says(prompt):
    answer = hook('user-prompt-submit', prompt=prompt)
    return answer.get('hookSpecificOutput', {}).get('additionalContext') or answer.get('systemMessage') or ''


def play():
    hook('session-start', source='startup')
    told = says(PLAN['prompt'])
    run = re.search(r'\brun (\w+)', told)
    run = run[1] if run else ''
    note(run=run)
    person = PLAN['person']
    for _ in range(MOST_TURNS):
        if 'subagent_type: ' in told:
            for early in PLAN['early']:
                says(early)
            if not follows(told):
                return note(end='gave up')
        answer = hook('stop', stop_hook_active=False, background_tasks=[])
        told = answer.get('reason') if answer.get('decision') == 'block' else None
        if told:
            continue
        shown = answer.get('systemMessage', '')
        waits = re.search('is (awaiting approval|waiting for you)', shown)
        if not waits:
            return note(end=shown)
        if waits[1] == 'awaiting approval':
            at_gate(run)
        word = person.get(waits[1])
        if not word:
            return note(end=shown)
        told = says(word)
    note(end='too many turns')


have_terminal()
play()
