"""The command line: `langmem-ext`, or `python -m langmem_ext`.

Every command is a thin way to a method of `LongTermMemory` or `UserMemory`. What a command found or did
goes to stdout, as text or (`--json`) as the values of the API with their attribute names; everything
else goes to stderr.
"""
