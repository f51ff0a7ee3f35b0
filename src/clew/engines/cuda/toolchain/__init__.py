"""From kernel source to a kernel on a device: text, compilers, failures, and the device itself."""
