"""Where the bytes of logs come from: files, pipes, stdin, compressed or not; servers; network captures."""
