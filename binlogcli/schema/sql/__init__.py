"""SQL text to definitions, and back: tokens, types, CREATE TABLE and ALTER TABLE."""
