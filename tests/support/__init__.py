"""What tests share: builders of logs and packets, servers, and the program as a process."""
