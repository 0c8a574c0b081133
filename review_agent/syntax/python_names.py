"""What Python brings along, from 3.11 to 3.13 together: no outcome depends on the interpreter that runs a review."""

from __future__ import annotations

__all__ = ["BUILTINS", "EXCEPTIONS", "KEYWORDS", "STANDARD_MODULES"]

_BUILTINS = """
ArithmeticError AssertionError AttributeError BaseException BaseExceptionGroup BlockingIOError BrokenPipeError
BufferError BytesWarning ChildProcessError ConnectionAbortedError ConnectionError ConnectionRefusedError
ConnectionResetError DeprecationWarning EOFError Ellipsis EncodingWarning EnvironmentError Exception ExceptionGroup
False FileExistsError FileNotFoundError FloatingPointError FutureWarning GeneratorExit IOError ImportError
ImportWarning IndentationError IndexError InterruptedError IsADirectoryError KeyError KeyboardInterrupt LookupError
MemoryError ModuleNotFoundError NameError None NotADirectoryError NotImplemented NotImplementedError OSError
OverflowError PendingDeprecationWarning PermissionError ProcessLookupError PythonFinalizationError RecursionError
ReferenceError ResourceWarning RuntimeError RuntimeWarning StopAsyncIteration StopIteration SyntaxError
SyntaxWarning SystemError SystemExit TabError TimeoutError True TypeError UnboundLocalError UnicodeDecodeError
UnicodeEncodeError UnicodeError UnicodeTranslateError UnicodeWarning UserWarning ValueError Warning
ZeroDivisionError _IncompleteInputError __build_class__ __debug__ __doc__ __import__ __loader__ __name__ __package__
__spec__ abs aiter all anext any ascii bin bool breakpoint bytearray bytes callable chr classmethod compile complex
copyright credits delattr dict dir divmod enumerate eval exec exit filter float format frozenset getattr globals
hasattr hash help hex id input int isinstance issubclass iter len license list locals map max memoryview min next
object oct open ord pow print property quit range repr reversed round set setattr slice sorted staticmethod str sum
super tuple type vars zip
"""
_KEYWORDS = """
False None True _ and as assert async await break case class continue def del elif else except finally for from
global if import in is lambda match nonlocal not or pass raise return try type while with yield
"""
# The standard library's modules, those that left it after 3.11 and those that came since among them.
_STANDARD = """
__future__ _abc _aix_support _android_support _ast _asyncio _bisect _blake2 _bootsubprocess _bz2 _codecs _codecs_cn
_codecs_hk _codecs_iso2022 _codecs_jp _codecs_kr _codecs_tw _collections _collections_abc _colorize _compat_pickle
_compression _contextvars _crypt _csv _ctypes _curses _curses_panel _datetime _dbm _decimal _elementtree
_frozen_importlib _frozen_importlib_external _functools _gdbm _hashlib _heapq _imp _interpchannels _interpqueues
_interpreters _io _ios_support _json _locale _lsprof _lzma _markupbase _md5 _msi _multibytecodec _multiprocessing
_opcode _opcode_metadata _operator _osx_support _overlapped _pickle _posixshmem _posixsubprocess _py_abc _pydatetime
_pydecimal _pyio _pylong _pyrepl _queue _random _scproxy _sha1 _sha2 _sha256 _sha3 _sha512 _signal _sitebuiltins
_socket _sqlite3 _sre _ssl _stat _statistics _string _strptime _struct _suggestions _symtable _sysconfig _thread
_threading_local _tkinter _tokenize _tracemalloc _typing _uuid _warnings _weakref _weakrefset _winapi _wmi _zoneinfo
abc aifc annotationlib antigravity argparse array ast asynchat asyncio asyncore atexit audioop base64 bdb binascii
bisect builtins bz2 cProfile calendar cgi cgitb chunk cmath cmd code codecs codeop collections colorsys compileall
compression concurrent configparser contextlib contextvars copy copyreg crypt csv ctypes curses dataclasses datetime
dbm decimal difflib dis distutils doctest email encodings ensurepip enum errno faulthandler fcntl filecmp fileinput
fnmatch fractions ftplib functools gc genericpath getopt getpass gettext glob graphlib grp gzip hashlib heapq hmac
html http idlelib imaplib imghdr imp importlib inspect io ipaddress itertools json keyword lib2to3 linecache locale
logging lzma mailbox mailcap marshal math mimetypes mmap modulefinder msilib msvcrt multiprocessing netrc nis
nntplib nt ntpath nturl2path numbers opcode operator optparse os ossaudiodev pathlib pdb pickle pickletools pipes
pkgutil platform plistlib poplib posix posixpath pprint profile pstats pty pwd py_compile pyclbr pydoc pydoc_data
pyexpat queue quopri random re readline reprlib resource rlcompleter runpy sched secrets select selectors shelve
shlex shutil signal site smtpd smtplib sndhdr socket socketserver spwd sqlite3 sre_compile sre_constants sre_parse
ssl stat statistics string stringprep struct subprocess sunau symtable sys sysconfig syslog tabnanny tarfile
telnetlib tempfile termios textwrap this threading time timeit tkinter token tokenize tomllib trace traceback
tracemalloc tty turtle turtledemo types typing unicodedata unittest urllib uu uuid venv warnings wave weakref
webbrowser winreg winsound wsgiref xdrlib xml xmlrpc zipapp zipfile zipimport zlib zoneinfo
"""
# One base a line, then the exceptions that derive from it.
_DERIVED = """
ArithmeticError: FloatingPointError OverflowError ZeroDivisionError
BaseException: BaseExceptionGroup Exception GeneratorExit KeyboardInterrupt SystemExit
BaseExceptionGroup: ExceptionGroup
ConnectionError: BrokenPipeError ConnectionAbortedError ConnectionRefusedError ConnectionResetError
Exception: ArithmeticError AssertionError AttributeError BufferError EOFError ExceptionGroup ImportError
Exception: LookupError MemoryError NameError OSError ReferenceError RuntimeError StopAsyncIteration
Exception: StopIteration SyntaxError SystemError TypeError ValueError Warning
ImportError: ModuleNotFoundError
IndentationError: TabError
LookupError: IndexError KeyError
NameError: UnboundLocalError
OSError: BlockingIOError ChildProcessError ConnectionError FileExistsError FileNotFoundError InterruptedError
OSError: IsADirectoryError NotADirectoryError PermissionError ProcessLookupError TimeoutError
RuntimeError: NotImplementedError PythonFinalizationError RecursionError
SyntaxError: IndentationError _IncompleteInputError
UnicodeError: UnicodeDecodeError UnicodeEncodeError UnicodeTranslateError
ValueError: UnicodeError
Warning: BytesWarning DeprecationWarning EncodingWarning FutureWarning ImportWarning PendingDeprecationWarning
Warning: ResourceWarning RuntimeWarning SyntaxWarning UnicodeWarning UserWarning
"""
_ALIASES = {"EnvironmentError": "OSError", "IOError": "OSError"}


def _exceptions() -> dict[str, frozenset[str]]:
    bases: dict[str, set[str]] = {"BaseException": set()}
    for row in _DERIVED.strip().split("\n"):
        base, derived = row.split(": ")
        for name in derived.split():
            bases.setdefault(name, set()).add(base)
    whole = {name: _ancestors(name, bases) for name in bases}
    return whole | {alias: whole[name] for alias, name in _ALIASES.items()}


def _ancestors(name: str, bases: dict[str, set[str]]) -> frozenset[str]:
    return frozenset({name}).union(*(_ancestors(base, bases) for base in bases[name]))


BUILTINS = frozenset(_BUILTINS.split())
KEYWORDS = frozenset(_KEYWORDS.split())
STANDARD_MODULES = frozenset(_STANDARD.split())
# Each exception that Python brings along, with itself and all that it derives from.
EXCEPTIONS = _exceptions()
