"""Experiments: what is measured, how, and the plots. `make experiment E=NAME` runs one."""
