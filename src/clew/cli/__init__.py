"""The command line: ``clew run``, ``explain``, ``report``, ``info``, ``convert`` and the others."""
