"""A tour of langmem_ext on two shipped conversations: `python -m langmem_ext.demo`."""
