# SPDX-License-Identifier: GPL-2.0-or-later
"""A file over QUIC: `quic_file.py serve ADDRESS PORT BYTES` and `quic_file.py get ADDRESS PORT BYTES`."""

import asyncio
import datetime
import ssl
import sys

from aioquic.asyncio import QuicConnectionProtocol, connect, serve
from aioquic.quic.configuration import QuicConfiguration
from aioquic.quic.events import StreamDataReceived
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec

ALPN = ["file"]


def certified():
    """Who the server is; nobody checks it."""
    key, name = ec.generate_private_key(ec.SECP256R1()), x509.Name([])
    now = datetime.datetime(2020, 1, 1)
    certificate = (
        x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key()).serial_number(1)
        .not_valid_before(now).not_valid_after(now + datetime.timedelta(days=36500)).sign(key, hashes.SHA256()))
    return QuicConfiguration(is_client=False, alpn_protocols=ALPN, certificate=certificate, private_key=key)


class Server(QuicConnectionProtocol):
    def quic_event_received(self, event):
        if isinstance(event, StreamDataReceived) and event.end_stream:
            self._quic.send_stream_data(event.stream_id, bytes(SIZE), end_stream=True)
            self.transmit()


async def give(address, port):
    await serve(address, port, configuration=certified(), create_protocol=Server)
    await asyncio.Future()


async def get(address, port):
    configuration = QuicConfiguration(is_client=True, alpn_protocols=ALPN, verify_mode=ssl.CERT_NONE)
    async with connect(address, port, configuration=configuration) as client:
        reader, writer = await client.create_stream()
        writer.write_eof()
        got = len(await reader.read())
        print(got, client._quic._loss._rtt_min)  # what the client itself took for the shortest RTT, in s


SIZE = int(sys.argv[4])
asyncio.run({"serve": give, "get": get}[sys.argv[1]](sys.argv[2], int(sys.argv[3])))
