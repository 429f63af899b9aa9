"""layoutcm: how good a document layout model is, and where it goes wrong, pixel by pixel.

Use `read` on two layouts, `compare` them, and look at `confusion`. `__init__.pyi` lists every public name once; a name
is loaded when it is first used, so that importing this package stays fast.
"""

import lazy_loader

__version__ = "1.0.0"

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
