"""CPU and GPU in one loop: vertex programs whose state stays on the CPU, and vectors that travel compressed."""
