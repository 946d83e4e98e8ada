"""What stands around a run under attack.

`stage.py neighbour ROOT`: somebody else's process, with sockets, memory, a terminal and a secret.
`stage.py drive ROOT WORDS...`: becomes the driver, with the user's keys around it as a login has them.
"""
import ctypes, json, os, pty, selectors, signal, socket, sys, threading, tty

libc = ctypes.CDLL(None, use_errno=True)
ROOT = sys.argv[2]
HOME = ROOT + '/home'
SECRET = open(ROOT + '/secret').read().strip()
KEYCTL_JOIN, SESSION = 1, -3
KEYCTL, ADD_KEY = {'x86_64': (250, 248), 'aarch64': (219, 217)}[os.uname().machine]
HANDLE_AT = {'x86_64': 303, 'aarch64': 264}[os.uname().machine]


def heard(what):
    with open(ROOT + '/heard', 'a') as log:
        log.write(what + '\n')


def answer(listener):
    """Writes down what a caller says, and greets it."""
    while True:
        conn, _ = listener.accept()
        conn.settimeout(5)
        try:
            heard(conn.recv(200).decode().strip())
            conn.sendall(b'hello\n')
        except OSError:
            pass
        conn.close()


def listen(family, address):
    if family == socket.AF_UNIX and not address.startswith('\0'):
        os.makedirs(os.path.dirname(address), exist_ok=True)
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.bind(address)
    listener.listen(32)
    threading.Thread(target=answer, args=(listener,), daemon=True).start()
    return listener


def handle_of(path):
    """The kernel's own name of a file, by which it can be opened without its path."""
    size, kind, mount = 128, 0, ctypes.c_int()
    handle = ctypes.create_string_buffer(size.to_bytes(4, 'little') + kind.to_bytes(4, 'little') + b'\0' * size)
    if libc.syscall(HANDLE_AT, -100, path.encode(), handle, ctypes.byref(mount), 0) != 0:
        return ''
    return handle.raw[:8 + int.from_bytes(handle.raw[:4], 'little')].hex()


def listen_everywhere():
    """Sockets where programs of a desktop have theirs, and what their names are."""
    name = 'wl-' + os.path.basename(ROOT)
    x11 = '/tmp/.X11-unix/' + name
    where = {
        'tmux': f'{ROOT}/tmp/tmux-{os.getuid()}/default', 'screen': HOME + '/.screen/1.user',
        'ssh_agent': ROOT + '/tmp/ssh-x/agent.1', 'gpg_agent': HOME + '/.gnupg/S.gpg-agent',
        'dbus': ROOT + '/run/bus', 'docker': ROOT + '/run/docker.sock', 'wayland': ROOT + '/run/wayland-0',
        'systemd': ROOT + '/run/systemd/private', 'cache': HOME + '/.cargo/registry/daemon.sock', 'x11': x11,
        'abstract': '\0' + name,
    }
    os.makedirs('/tmp/.X11-unix', mode=0o1777, exist_ok=True)
    for address in where.values():
        listen(socket.AF_UNIX, address)
    ports = [listen(socket.AF_INET, ('127.0.0.1', 0)).getsockname()[1]]
    try:
        ports.append(listen(socket.AF_INET6, ('::1', 0)).getsockname()[1])
    except OSError:
        ports.append(0)
    return where, ports


def watch_terminal(master, slave):
    """Tells what appears on the terminal, and what is typed at it by nobody."""
    both = selectors.DefaultSelector()
    both.register(master, selectors.EVENT_READ, 'screen')
    both.register(slave, selectors.EVENT_READ, 'typed')
    begun = {'screen': '', 'typed': ''}
    while True:
        for key, _ in both.select():
            # What is typed comes letter by letter.
            text = begun[key.data] + os.read(key.fd, 1000).decode(errors='replace')
            lines = text.replace('\r', '\n').split('\n')
            begun[key.data] = lines.pop()
            for word in ' '.join(lines).split():
                heard(word)


def neighbour():
    signal.signal(signal.SIGUSR1, lambda *_: heard('signal_neighbour-attempt'))
    signal.signal(signal.SIGUSR2, lambda *_: heard('signal_neighbour-check'))
    where, ports = listen_everywhere()
    secret = ctypes.create_string_buffer(SECRET.encode())
    libc.shmat.restype = ctypes.c_void_p
    shm = libc.shmget(0, 4096, 0o1600)
    at = libc.shmat(shm, None, 0)
    ctypes.memmove(at, SECRET.encode() + b'\0', len(SECRET) + 1)
    master, slave = pty.openpty()
    tty.setraw(slave)
    threading.Thread(target=watch_terminal, args=(master, slave), daemon=True).start()
    kept = open(ROOT + '/secret')
    facts = {
        'neighbour': os.getpid(), 'address': ctypes.addressof(secret), 'length': len(SECRET), 'shm': shm,
        'tty': os.ttyname(slave), 'sockets': where, 'port': ports[0], 'port6': ports[1], 'fd': kept.fileno(),
        'handle': handle_of(HOME + '/.ssh/id_ed25519'), 'root': ROOT, 'home': HOME,
    }
    with open(ROOT + '/facts.new', 'w') as out:
        json.dump(facts, out)
    os.rename(ROOT + '/facts.new', ROOT + '/facts.json')
    while sys.stdin.read(1):    # until the test is done with it
        pass
    libc.shmctl(shm, 0, None)
    os.unlink(where['x11'])


def drive(words):
    libc.syscall(KEYCTL, KEYCTL_JOIN, None)
    libc.syscall(ADD_KEY, b'user', b'wl-secret', SECRET.encode(), len(SECRET), SESSION)
    os.dup2(os.open(ROOT + '/secret', os.O_RDONLY), 9, inheritable=True)
    facts = json.load(open(ROOT + '/facts.json'))
    facts.update(json.load(open(ROOT + '/more.json')), driver=os.getpid())
    probes = open(ROOT + '/probes.in').read().replace('@FACTS@', repr(json.dumps(facts)))
    with open(HOME + '/probes.py', 'w') as out:
        out.write(probes)
    os.execvp(words[0], words)


neighbour() if sys.argv[1] == 'neighbour' else drive(sys.argv[3:])
