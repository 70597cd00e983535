"""Captured replication streams: pcap and pcapng files as sources of logs."""
