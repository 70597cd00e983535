"""What a shell offers when Tab is typed; the scripts beside this ask the program for it."""
