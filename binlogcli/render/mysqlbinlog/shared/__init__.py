"""What the texts of both families share: events, the order of a statement's parts, session state, LOAD DATA files."""
