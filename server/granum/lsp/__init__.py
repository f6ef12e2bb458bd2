"""The language-server front: the only part that knows pygls and lsprotocol."""
