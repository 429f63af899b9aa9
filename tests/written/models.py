"""What layout models and converters write: docling, OmniDocBench, PaddleX, MinerU, Surya and others."""

WRITERS = {}
