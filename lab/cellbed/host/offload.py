# SPDX-License-Identifier: GPL-2.0-or-later
"""Offloads of an interface, by ioctl: ethtool(8) would be two processes for each of dozens of interfaces in every run.

Source: include/uapi/linux/ethtool.h, struct ethtool_value; SIOCETHTOOL
"""

from __future__ import annotations

import array
import contextlib
import fcntl
import socket
import struct

_SIOCETHTOOL = 0x8946
# Of each offload, by ethtool's name: commands to read and to set it.
_SEGMENTATION = {"tcp-segmentation-offload": (0x1E, 0x1F), "generic-segmentation-offload": (0x23, 0x24),
                 "generic-receive-offload": (0x2B, 0x2C)}
_CHECKSUM = {"tx-checksumming": (0x16, 0x17)}


def switch_off(interface: str, *, checksum: bool) -> None:
    """Switch off segmentation offloads of an interface of the current namespace, and that of checksums on request.

    GSO hands segments above the MTU to packet taps; the radio wants them as they are sent. And a veth passes on packets
    without their checksum; a capture shall have the one of the wire. An interface may lack an offload or refuse.
    """
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
        for _, command in ({**_SEGMENTATION, **_CHECKSUM} if checksum else _SEGMENTATION).values():
            with contextlib.suppress(OSError):
                _ioctl(control, interface, command, 0)


def read(interface: str) -> dict[str, str]:
    """Segmentation offloads that an interface of the current namespace has: on or off."""
    found = {}
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
        for name, (command, _) in _SEGMENTATION.items():
            with contextlib.suppress(OSError):
                found[name] = "on" if _ioctl(control, interface, command, 0) else "off"
    return found


def _ioctl(control: socket.socket, interface: str, command: int, value: int) -> int:
    """The value after an ethtool command with @value."""
    data = array.array("I", [command, value])
    request = struct.pack("16sP16x", interface.encode(), data.buffer_info()[0])
    fcntl.ioctl(control, _SIOCETHTOOL, request)
    return data[1]
