"""Memory for applications: one set of methods on a home (``embedded``) or a server (``remote``); see ``memory.Memory``.

What ``Memory.connect`` needs imports nothing but the standard library and httpx: it is a package of its own, too.
"""
