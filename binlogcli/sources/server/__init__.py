"""A live server as a source: options, handshake, dump request, and the logs that it sends."""
