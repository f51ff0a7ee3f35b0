"""The command line: ``clew info``, ``convert``, ``generate``, ``formats`` and ``demo``."""
