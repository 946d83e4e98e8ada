"""Runs every probe in a process of its own and prints what came of it.

`probe.py WHO GROUPS [NAME RUN]`: WHO is `attempt`, `check` or `look`; with a name only that probe, about the
gate of that run. A probe is a function body; what it returns is what it
got hold of, and an exception says what refused it.
"""
import ctypes, errno, fcntl, json, mmap, os, resource, signal, socket, stat, struct, subprocess, sys, time

FACTS = json.loads(@FACTS@)
PROBES = json.loads(@PROBES@)
WHO, GROUPS = sys.argv[1], sys.argv[2].split(',')
if len(sys.argv) > 3:
    PROBES = [probe for probe in PROBES if probe['name'] == sys.argv[3]]
    FACTS['gated'] = sys.argv[4]
ROOT, HOME = FACTS['root'], FACTS['home']
NEIGHBOUR, DRIVER = FACTS['neighbour'], FACTS['driver']
libc = ctypes.CDLL(None, use_errno=True)
NEWNS, NEWUSER, NEWPID, NEWCGROUP = 0x20000, 0x10000000, 0x20000000, 0x02000000
ARM = os.uname().machine == 'aarch64'


def must(answer, what='refused'):
    """Fails as the kernel said, for calls that return -1."""
    if answer is None or answer < 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code) + ' ' + what)
    return answer


def call(x86, arm, *words):
    return must(libc.syscall(arm if ARM else x86, *words), 'system call')


def read(path, most=4000):
    with open(path, 'rb') as file:
        return file.read(most).decode(errors='replace')


def write(path, mode='w'):
    """Writes a mark that names this probe; the test looks for it where the user would."""
    if 'w' in mode:
        os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, mode) as file:
        file.write(f'# owned {NAME}-{WHO}\n')    # a comment: what reads it goes on


def opens(path, flags=os.O_WRONLY):
    """Opens and closes: enough to know, and nothing is changed."""
    os.close(os.open(path, flags))
    return 'opened ' + path


def makes_file_in(folder):
    """Makes a file without a name, which is gone when it is closed."""
    return opens(folder, os.O_TMPFILE | os.O_WRONLY)


def say_to(family, address):
    conn = socket.socket(family, socket.SOCK_STREAM)
    conn.settimeout(3)
    conn.connect(address)
    conn.sendall(f'{NAME}-{WHO}\n'.encode())
    return conn.recv(100).decode()


def say_to_socket(name):
    return say_to(socket.AF_UNIX, FACTS['sockets'][name])


def route_to(address, family=socket.AF_INET):
    """Asks the kernel for a way to an address; nothing is sent."""
    socket.socket(family, socket.SOCK_DGRAM).connect((address, 80))
    return 'a route to ' + address


def own_mounts():
    """A mount namespace of its own, as root or as root of an own user namespace."""
    uid, gid = os.getuid(), os.getgid()
    if libc.unshare(NEWNS) != 0:
        must(libc.unshare(NEWUSER | NEWNS), 'unshare')
        for name, line in [('setgroups', 'deny'), ('uid_map', f'0 {uid} 1'), ('gid_map', f'0 {gid} 1')]:
            try:
                with open('/proc/self/' + name, 'w') as file:
                    file.write(line)
            except OSError:
                pass    # without a map the rights are there all the same
    must(libc.mount(None, b'/', None, 0x44000, None), 'private')


def mount(kind, at, source=b'none', flags=0):
    os.makedirs(at, exist_ok=True)
    must(libc.mount(source, at.encode(), kind, flags, None), 'mount')


def scratch(name):
    path = os.path.join(os.environ.get('TMPDIR', '/tmp'), name + '-' + WHO)
    os.makedirs(path, exist_ok=True)
    return path


def ancestors():
    pid = os.getppid()
    while pid > 0:
        yield pid
        pid = int(read(f'/proc/{pid}/stat').rsplit(')', 1)[1].split()[1])


def launcher():
    """The nearest process above that belongs to windlass; in a box that is its init, in a session the host."""
    for pid in ancestors():
        last = pid
        if '__launch' in read(f'/proc/{pid}/cmdline') or pid == DRIVER:
            return pid
    return last


def environments(pids):
    """What these processes have in their environments of the user's keys."""
    found, refused = [], None
    for pid in pids:
        try:
            found += [word for word in read(f'/proc/{pid}/environ', 100000).split('\0') if 'planted' in word]
        except OSError as error:
            refused = error
    if refused and not found:
        raise refused
    return found


def command_lines():
    """Those of all processes that are in sight and not gone while one looks."""
    for pid in filter(str.isdigit, os.listdir('/proc')):
        try:
            yield read(f'/proc/{pid}/cmdline')
        except (FileNotFoundError, ProcessLookupError):
            pass


def boxed():
    """Whether the neighbour is out of sight, and so process numbers are its own."""
    try:
        return 'stage.py' not in read(f'/proc/{NEIGHBOUR}/cmdline')
    except OSError:
        return True


def approval():
    """The line by which a person would approve, with this probe's name as the reason."""
    where = f'HOME={HOME} WINDLASS_HOME={HOME}/.local/state/windlass XDG_CACHE_HOME={HOME}/.cache'
    return f'cd {HOME}/project && {where} {FACTS["windlass"]} approve --run {FACTS["gated"]} -m {NAME}-{WHO}'


def approve(start):
    words = start + ([approval(), '/dev/null'] if 'script' in start else ['sh', '-c', approval()])
    done = subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=6)
    return done.stdout.decode()[-100:]


def survivor(start, name):
    """Leaves a process behind that writes a file again and again, until the world is gone or long over."""
    path = os.path.abspath('.windlass/run/alive-' + name)
    loop = f'i=0; while [ -d {os.getcwd()} ] && [ $i -lt 5000 ]; do i=$((i+1)); echo x > {path}; sleep 0.02; done'
    subprocess.Popen(start + ['sh', '-c', loop], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                     stderr=subprocess.DEVNULL, close_fds=True)
    return 'left'


def still_alive(name):
    path = '.windlass/run/alive-' + name
    if os.path.exists(path):
        os.unlink(path)
    end = time.monotonic() + 0.4
    while time.monotonic() < end:
        if os.path.exists(path):
            return 'it writes'
    return ''


def run(name, code):
    global NAME
    NAME = name
    signal.alarm(8)
    try:
        space = dict(globals())
        exec('def probe():\n' + '\n'.join('    ' + line for line in code.splitlines()), space)
        got = space['probe']()
        return ('open ' if got else 'refused ') + str(got)
    except BaseException as error:
        return f'refused {type(error).__name__}: {error}'


# Not only this process: what a child of another one left open must not look like something inherited.
for probe in PROBES:
    if probe['group'] not in GROUPS:
        continue
    out, into = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.write(into, run(probe['name'], probe['code']).encode()[:400])
        os._exit(0)
    os.close(into)
    os.waitpid(pid, 0)
    # A survivor may hold the pipe: what was written is there already.
    os.set_blocking(out, False)
    try:
        said = os.read(out, 500).decode(errors='replace') or 'refused it was killed'
    except BlockingIOError:
        said = 'refused it was killed'
    os.close(out)
    print('RESULT', probe['name'], WHO, ' '.join(said.split()), flush=True)
