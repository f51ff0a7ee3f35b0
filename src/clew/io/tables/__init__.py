"""Edge tables in files: Parquet and Arrow IPC."""
