"""Chosen transactions of logs, written as logs of their own."""
