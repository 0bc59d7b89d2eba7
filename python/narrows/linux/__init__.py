"""The Linux kernel as a backend: kernels are built into the user's cache, and found there."""
