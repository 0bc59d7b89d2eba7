# SPDX-License-Identifier: Apache-2.0
"""A host of an emulated path: namespaces of its own with one network device, in which one command runs.

The emulator (`crates/realtime`) starts this file as a process of its own, with one argument, a JSON object, and a
socket as standard input. The messages on the socket are:

* to the emulator: `D` with the descriptor of the device once the host is set up, or `E` and the reason why it cannot
  be; `L` once the command listens on a port, has ended, or has not listened for some time;
* from the emulator: `G`, upon which the command starts.

The process ends with the exit status of the command. Nothing here needs privileges where the system allows user
namespaces, and nothing survives: the process that runs the command is the first of a process namespace, so everything
that it has started ends with it; it is killed with this process, and this process with the emulator.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import json
import os
import signal
import socket
import struct
import sys
import tempfile
import time
from functools import cache
from pathlib import Path
from typing import Any, NoReturn


class RefusedError(Exception):
    """The system refuses what a host needs; its text is the reason."""


def main() -> NoReturn:
    """Set the host up, run its command, and exit with the command's status."""
    emulator = os.getppid()
    _die_with_parent()
    if os.getppid() != emulator:
        sys.exit(1)
    host: dict[str, Any] = json.loads(sys.argv[1])
    with socket.socket(fileno=os.dup(0)) as control:
        try:
            _enter_namespaces()
            device = _open_device(host["mtu"])
            _configure(host)
            _name_hosts(host["names"])
        except RefusedError as error:
            control.sendall(b"E" + str(error).encode())
            sys.exit(1)
        socket.send_fds(control, [b"D"], [device])
        os.close(device)
        first = os.fork()
        if first == 0:
            _be_first(control, host)
    if host["command"] == HOLD:
        name = next(iter(host["names"][host["address"]]))
        sys.stdout.write(f"{name}: nsenter --preserve-credentials -U -m -n -p -t {first}\n")
        sys.stdout.flush()
    _, status = os.waitpid(first, 0)
    sys.exit(os.waitstatus_to_exitcode(status) & 0xFF)


def _enter_namespaces() -> None:
    user, group = os.getuid(), os.getgid()
    wanted = CLONE_NEWNET | CLONE_NEWNS | CLONE_NEWPID
    if _unshare(CLONE_NEWUSER | wanted):
        # A process without privileges may map its own user alone, and no groups before it gives up to set them.
        with contextlib.suppress(OSError):
            Path("/proc/self/setgroups").write_text("deny", encoding="ascii")
        try:
            Path("/proc/self/uid_map").write_text(f"{user} {user} 1", encoding="ascii")
            Path("/proc/self/gid_map").write_text(f"{group} {group} 1", encoding="ascii")
        except OSError as error:
            raise RefusedError(f"the user cannot be mapped into a namespace: {error.strerror}") from None
    elif user != 0 or not _unshare(wanted):
        raise RefusedError(why_refused(ctypes.get_errno()))
    _call("mount", _libc().mount(b"none", b"/", None, MS_REC | MS_PRIVATE, None))


def why_refused(error: int) -> str:
    """Say which setting of the system refuses namespaces to users, and how it is changed."""
    if setting_of("user/max_user_namespaces") == "0":
        return (
            "the system allows no user namespaces (user.max_user_namespaces is 0); "
            "`sudo sysctl user.max_user_namespaces=10000` allows them"
        )
    if setting_of("kernel/apparmor_restrict_unprivileged_userns") == "1":
        return (
            "AppArmor restricts user namespaces to programs with a profile "
            "(kernel.apparmor_restrict_unprivileged_userns is 1); "
            "`sudo sysctl kernel.apparmor_restrict_unprivileged_userns=0` allows them to all"
        )
    if setting_of("kernel/unprivileged_userns_clone") == "0":
        return (
            "the system allows user namespaces to root alone (kernel.unprivileged_userns_clone is 0); "
            "`sudo sysctl kernel.unprivileged_userns_clone=1` allows them to all"
        )
    return (
        f"the system refuses a namespace ({os.strerror(error)}), as containers do that are not started with the "
        "permission to create them"
    )


def _open_device(mtu: int) -> int:
    try:
        device = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        hint = "`sudo modprobe tun` creates it, and a container needs `--device /dev/net/tun`"
        raise RefusedError(f"/dev/net/tun: {error.strerror}; {hint}") from None
    _ioctl(device, TUNSETIFF, struct.pack("16sH22x", DEVICE, IFF_TUN | IFF_NO_PI))
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        _ioctl(any_socket.fileno(), SIOCSIFMTU, struct.pack("16si20x", DEVICE, mtu))
    _lengthen_queue()
    return device


def _lengthen_queue() -> None:
    """Give the device room for packets that wait for the emulator; the ioctl for it is refused in a namespace."""
    attribute = struct.pack("HHI", 8, IFLA_TXQLEN, WAITING_PACKETS)
    link = struct.pack("BxHiII", socket.AF_UNSPEC, 0, socket.if_nametoindex(DEVICE.decode()), 0, 0)
    length = 16 + len(link) + len(attribute)
    header = struct.pack("IHHII", length, RTM_NEWLINK, NLM_F_REQUEST | NLM_F_ACK, 1, 0)
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, socket.NETLINK_ROUTE) as kernel:
        kernel.send(header + link + attribute)
        (error,) = struct.unpack_from("i", kernel.recv(4096), 16)
    if error:
        raise RefusedError(f"the network device has no longer queue: {os.strerror(-error)}")


def _configure(host: dict[str, Any]) -> None:
    """Give the device its addresses, and the host the settings of its TCP."""
    algorithm = host["algorithm"]
    if setting_of("net/ipv4/tcp_congestion_control") != algorithm:
        _set("net/ipv4/tcp_congestion_control", algorithm, f"users of this system may not use {algorithm}")
    _set("net/ipv4/tcp_ecn", "1" if host["ecn"] else "0", "ECN cannot be set")
    _set("net/ipv4/tcp_no_metrics_save", "1", "metrics of earlier connections cannot be disabled")
    name = DEVICE.decode()
    # `ping` of ordinary users; duplicate address detection and router solicitations only delay and send.
    for setting, value in (
        ("net/ipv4/ping_group_range", f"{os.getgid()} {os.getgid()}"),
        (f"net/ipv6/conf/{name}/accept_dad", "0"),
        (f"net/ipv6/conf/{name}/router_solicitations", "0"),
        (f"net/ipv6/conf/{name}/addr_gen_mode", "1"),
    ):
        with contextlib.suppress(OSError):
            (SYSCTLS / setting).write_text(value, encoding="ascii")
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        four = any_socket.fileno()
        _ioctl(four, SIOCSIFFLAGS, struct.pack("16sH22x", b"lo", IFF_UP))
        _ioctl(four, SIOCSIFADDR, _interface_address(host["address"]))
        _ioctl(four, SIOCSIFNETMASK, _interface_address("255.255.255.0"))
        _ioctl(four, SIOCSIFFLAGS, struct.pack("16sH22x", DEVICE, IFF_UP | IFF_RUNNING | IFF_NOARP))
    # A system without IPv6 has the other protocol alone.
    with contextlib.suppress(OSError, RefusedError), socket.socket(socket.AF_INET6, socket.SOCK_DGRAM) as any_socket:
        address = socket.inet_pton(socket.AF_INET6, host["address6"])
        wanted = struct.pack("16sIi", address, 64, socket.if_nametoindex(name))
        _ioctl(any_socket.fileno(), SIOCSIFADDR, wanted)


def _interface_address(address: str) -> bytes:
    return struct.pack("16sHH4s16x", DEVICE, socket.AF_INET, 0, socket.inet_aton(address))


def _name_hosts(names: dict[str, list[str]]) -> None:
    """Let names of hosts be found, by a file in place of the system's; without the right to, addresses remain."""
    entries = "".join(f"{address} {' '.join(of)}\n" for address, of in names.items())
    with contextlib.suppress(OSError), tempfile.NamedTemporaryFile("w", encoding="utf-8") as file:
        file.write(f"{Path('/etc/hosts').read_text('utf-8')}\n{entries}")
        file.flush()
        Path(file.name).chmod(0o644)
        _libc().mount(file.name.encode(), b"/etc/hosts", None, MS_BIND, None)


def _be_first(control: socket.socket, host: dict[str, Any]) -> NoReturn:
    """Be the first process of the namespace: start the command at the emulator's word, and end with its status."""
    _die_with_parent()
    # Without it `ps` shows processes of the whole machine; containers may refuse it.
    _libc().mount(b"proc", b"/proc", b"proc", 0, None)
    if control.recv(1) != b"G":
        os._exit(1)
    command = os.fork()
    if command == 0:
        _run(control, host)
    waited = 0
    if host["listens"]:
        waited = _wait_until_listening(command)
        control.sendall(b"L")
    control.close()
    while True:
        ended, status = (command, waited) if waited else os.wait()
        if ended == command:
            code = os.waitstatus_to_exitcode(status)
            # As a shell says it.
            os._exit(code if code >= 0 else 128 - code)


def _run(control: socket.socket, host: dict[str, Any]) -> NoReturn:
    control.close()
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    with contextlib.suppress(OSError):
        os.chdir(host["folder"])
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGPIPE):
        signal.signal(number, signal.SIG_DFL)
    try:
        os.execve("/bin/sh", ["/bin/sh", "-c", host["command"]], {**os.environ, **host["environment"]})  # noqa: S606
    except OSError as error:
        sys.stderr.write(f"/bin/sh: {error.strerror}\n")
        os._exit(127)


def _wait_until_listening(command: int) -> int:
    """Wait until a port is open, the command ends, or some time has passed; return how the command has ended, if so."""
    until = time.monotonic() + LISTENS_WITHIN
    while time.monotonic() < until and not _listens():
        ended, status = os.waitpid(command, os.WNOHANG)
        if ended:
            return status or ENDED_WELL
        time.sleep(0.005)
    return 0


def _listens() -> bool:
    """Return whether a socket of the host listens for connections, or is bound to a port for datagrams."""
    for protocol, state in (("tcp", "0A"), ("tcp6", "0A"), ("udp", "07"), ("udp6", "07")):
        with contextlib.suppress(OSError):
            lines = Path(f"/proc/net/{protocol}").read_text("ascii").splitlines()[1:]
            if any(line.split()[3] == state for line in lines):
                return True
    return False


@cache
def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def _die_with_parent() -> None:
    _libc().prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)


def _unshare(flags: int) -> bool:
    return bool(_libc().unshare(flags) == 0)


def _call(name: str, result: int) -> None:
    if result != 0:
        raise RefusedError(f"{name}: {os.strerror(ctypes.get_errno())}")


def _ioctl(file: int, request: int, argument: bytes) -> None:
    # Other systems have no such module, and read this file all the same.
    import fcntl

    try:
        fcntl.ioctl(file, request, argument)
    except OSError as error:
        raise RefusedError(f"the network device cannot be set up: {error.strerror}") from None


def setting_of(name: str) -> str | None:
    try:
        return (SYSCTLS / name).read_text("ascii").strip()
    except OSError:
        return None


def _set(name: str, value: str, otherwise: str) -> None:
    try:
        (SYSCTLS / name).write_text(value, encoding="ascii")
    except OSError as error:
        reason = "" if error.errno == errno.ENOENT else f" ({error.strerror})"
        raise RefusedError(f"{otherwise}{reason}: {name.replace('/', '.')}") from None


SYSCTLS = Path("/proc/sys")
DEVICE = b"narrows0"
# The command of a host that people enter.
HOLD = "sleep infinity"
# Packets that wait in the device for the emulator; those beyond are lost there, and counted.
WAITING_PACKETS = 5000
# Time that a server has to open a port before its client starts, seconds.
LISTENS_WITHIN = 3.0
# A status that is no status of a process: it has ended with 0.
ENDED_WELL = 1 << 20
# Numbers of <linux/sched.h>, <sys/mount.h>, <linux/prctl.h>, <linux/if.h>, <linux/if_tun.h>, <linux/sockios.h>,
# <linux/netlink.h> and <linux/if_link.h>.
CLONE_NEWNS, CLONE_NEWUSER, CLONE_NEWPID, CLONE_NEWNET = 0x00020000, 0x10000000, 0x20000000, 0x40000000
MS_BIND, MS_REC, MS_PRIVATE = 0x1000, 0x4000, 0x40000
PR_SET_PDEATHSIG = 1
IFF_UP, IFF_RUNNING, IFF_NOARP = 0x1, 0x40, 0x80
IFF_TUN, IFF_NO_PI, TUNSETIFF = 0x0001, 0x1000, 0x400454CA
SIOCSIFFLAGS, SIOCSIFADDR, SIOCSIFNETMASK, SIOCSIFMTU = 0x8914, 0x8916, 0x891C, 0x8922
RTM_NEWLINK, NLM_F_REQUEST, NLM_F_ACK, IFLA_TXQLEN = 16, 1, 4, 13

if __name__ == "__main__":
    main()
