//! Names that a module of a repository hides others by.

/// Top-level modules of Python's standard library, and of what runs, measures and reads tests, in order.
/// The folder of a script and the folder that `python -m` is called in come first when modules are looked
/// for, so a file of such a name there is run in their place.
#[rustfmt::skip]
pub(super) const PYTHON: [&str; 347] = [
    "__future__", "_abc", "_aix_support", "_ast", "_asyncio", "_bisect", "_blake2",
    "_bootsubprocess", "_bz2", "_codecs", "_codecs_cn", "_codecs_hk", "_codecs_iso2022",
    "_codecs_jp", "_codecs_kr", "_codecs_tw", "_collections", "_collections_abc", "_compat_pickle",
    "_compression", "_contextvars", "_crypt", "_csv", "_ctypes", "_curses", "_curses_panel",
    "_datetime", "_dbm", "_decimal", "_distutils_hack", "_elementtree", "_frozen_importlib",
    "_frozen_importlib_external", "_functools", "_gdbm", "_hashlib", "_heapq", "_imp", "_io",
    "_json", "_locale", "_lsprof", "_lzma", "_markupbase", "_md5", "_msi", "_multibytecodec",
    "_multiprocessing", "_opcode", "_operator", "_osx_support", "_overlapped", "_pickle",
    "_posixshmem", "_posixsubprocess", "_py_abc", "_pydecimal", "_pyio", "_pytest", "_queue",
    "_random", "_scproxy", "_sha1", "_sha256", "_sha3", "_sha512", "_signal", "_sitebuiltins",
    "_socket", "_sqlite3", "_sre", "_ssl", "_stat", "_statistics", "_string", "_strptime",
    "_struct", "_symtable", "_thread", "_threading_local", "_tkinter", "_tokenize", "_tracemalloc",
    "_typing", "_uuid", "_warnings", "_weakref", "_weakrefset", "_winapi", "_zoneinfo", "abc",
    "aifc", "argparse", "array", "ast", "asynchat", "asyncio", "asyncore", "atexit", "attr",
    "attrs", "audioop", "base64", "bdb", "behave", "binascii", "bisect", "black", "builtins", "bz2",
    "cProfile", "calendar", "cgi", "cgitb", "chunk", "cmath", "cmd", "code", "codecs", "codeop",
    "collections", "colorama", "colorsys", "compileall", "concurrent", "configparser", "contextlib",
    "contextvars", "copy", "copyreg", "coverage", "crypt", "csv", "ctypes", "curses", "dataclasses",
    "datetime", "dbm", "decimal", "difflib", "dis", "distutils", "django", "doctest", "email",
    "encodings", "ensurepip", "enum", "errno", "exceptiongroup", "faulthandler", "fcntl", "filecmp",
    "fileinput", "flake8", "fnmatch", "fractions", "freezegun", "ftplib", "functools", "gc",
    "genericpath", "getopt", "getpass", "gettext", "glob", "graphlib", "green", "grp", "gzip",
    "hashlib", "heapq", "hmac", "html", "http", "hypothesis", "imaplib", "imghdr", "imp",
    "importlib", "iniconfig", "inspect", "io", "ipaddress", "isort", "itertools", "json", "keyword",
    "lib2to3", "linecache", "locale", "logging", "lzma", "mailbox", "mailcap", "marshal", "math",
    "mimetypes", "mmap", "mock", "modulefinder", "msilib", "msvcrt", "multiprocessing", "mypy",
    "netrc", "nis", "nntplib", "nose", "nose2", "nox", "nt", "ntpath", "nturl2path", "numbers",
    "opcode", "operator", "optparse", "os", "ossaudiodev", "packaging", "pathlib", "pdb", "pickle",
    "pickletools", "pip", "pipes", "pkg_resources", "pkgutil", "platform", "plistlib", "pluggy",
    "poplib", "posix", "posixpath", "pprint", "profile", "pstats", "pty", "pwd", "py", "py_compile",
    "pyclbr", "pydoc", "pydoc_data", "pyexpat", "pygments", "pylint", "pytest", "pytest_asyncio",
    "pytest_cov", "pytest_mock", "queue", "quopri", "random", "re", "readline", "reprlib",
    "requests_mock", "resource", "responses", "rlcompleter", "robot", "ruff", "runpy", "sched",
    "secrets", "select", "selectors", "setuptools", "shelve", "shlex", "shutil", "signal", "site",
    "sitecustomize", "smtpd", "smtplib", "sndhdr", "socket", "socketserver", "spwd", "sqlite3",
    "sre_compile", "sre_constants", "sre_parse", "ssl", "stat", "statistics", "string",
    "stringprep", "struct", "subprocess", "sunau", "symtable", "sys", "sysconfig", "syslog",
    "tabnanny", "tarfile", "telnetlib", "tempfile", "termios", "textwrap", "threading", "time",
    "timeit", "tkinter", "token", "tokenize", "tomli", "tomllib", "tox", "trace", "traceback",
    "tracemalloc", "trial", "tty", "turtle", "twisted", "types", "typing", "typing_extensions",
    "unicodedata", "unittest", "urllib", "usercustomize", "uu", "uuid", "venv", "warnings", "wave",
    "weakref", "webbrowser", "wheel", "winreg", "winsound", "wsgiref", "xdist", "xdrlib", "xml",
    "xmlrpc", "zipapp", "zipfile", "zipimport", "zlib", "zoneinfo",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_in_order() {
        assert!(PYTHON.is_sorted());
        for name in
            ["json", "re", "difflib", "unittest", "pytest", "_pytest", "argparse", "packaging"]
        {
            assert!(PYTHON.binary_search(&name).is_ok(), "{name}");
        }
    }
}
