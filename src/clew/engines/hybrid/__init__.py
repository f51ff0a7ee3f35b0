"""CPU and GPU in one loop: vectors that travel compressed, vertex programs whose state stays on the CPU, split rows."""
