"""What is in which memory: graphs on a device, the budget for edges, host memory, and copies."""
