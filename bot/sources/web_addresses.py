"""Which addresses of pages are taken, and which hosts and networks they may lead to."""

import re
from ipaddress import IPv4Address, IPv6Network, ip_address, ip_network

from bot.loaders.unreadable import FileUnreadable

_LABEL = r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?"
# The last label begins with a letter: no number, however written, is a host.
_HOST = rf"(?:{_LABEL}\.)+[a-z](?:[a-z0-9-]{{0,61}}[a-z0-9])"
_ADDRESS = re.compile(rf"https://({_HOST})(?::(\d{{1,5}}))?((?:[/?][!-~]*)?)", re.IGNORECASE)
_ENTRY = re.compile(rf"({_HOST})(?::(\d{{1,5}}))?", re.IGNORECASE)
HOST_LIST = rf"(?i)^\s*({_HOST}(:\d{{1,5}})?(\s*,\s*|\s*$))*$"
"""What `hosts_of` takes."""

_UNSAFE = re.compile(r"\\|%[01][0-9a-f]|%7f", re.IGNORECASE)
_LONGEST = 2_000  # characters of an address
_PORT = 443

_GLOBAL = IPv6Network("2000::/3")  # leaves out what maps, holds or translates IPv4, as NAT64 does
_HOLLOW = (IPv6Network("2001::/32"), IPv6Network("2002::/16"))  # Teredo and 6to4 hold IPv4 too
_RELAYS = ip_network("192.88.99.0/24")  # whoever still answers there unpacks 6to4

Hosts = frozenset[tuple[str, int]]
"""Host names in lower case, each with a port."""


class AddressRefused(FileUnreadable):
    """A page is not fetched from there; the message says why, for its owner."""


def is_address(ref: str) -> bool:
    """Whether a document's reference is the address of a page and not a path."""
    return ref.lower().startswith(("https://", "http://"))


def hosts_of(said: str) -> Hosts:
    """The hosts of a list such as ``a.example, b.example:8443``. Raises `ValueError`."""
    hosts = set()
    for entry in filter(None, (part.strip() for part in said.split(","))):
        found = _ENTRY.fullmatch(entry)
        if found is None:
            raise ValueError(f"{entry!r} is not a host name")
        hosts.add((found[1].lower(), int(found[2] or _PORT)))
    return frozenset(hosts)


def checked(url: str, *, hosts: Hosts) -> str:
    """``url`` without its fragment. Raises `AddressRefused` for any that leads elsewhere."""
    bare = url.partition("#")[0]
    found = _ADDRESS.fullmatch(bare)
    if found is None or len(bare) > _LONGEST or _UNSAFE.search(bare):
        raise AddressRefused("its address is not a plain https address of a named host")
    if (found[1].lower(), int(found[2] or _PORT)) not in hosts:
        raise AddressRefused("its host is not among those that FOOTNOTE_WEB_HOSTS allows")
    return bare


def is_public(address: str) -> bool:
    """Whether an IP address is one of the public internet, and stands for no other."""
    try:
        ip = ip_address(address)
    except ValueError:
        return False
    if not ip.is_global or ip.is_multicast or ip.is_reserved or ip.is_unspecified:
        return False
    if isinstance(ip, IPv4Address):
        return ip not in _RELAYS
    return ip in _GLOBAL and not any(ip in network for network in _HOLLOW)
