"""Small page images, PDFs and zips in memory."""

import io

from PIL import Image

from support.hostile_formats import zip_of


def png(size=(40, 30), colour="red"):
    out = io.BytesIO()
    Image.new("RGB", size, colour).save(out, "PNG")
    return out.getvalue()


def pdf(pages=2):
    out = io.BytesIO()
    sheets = [Image.new("RGB", (60, 80), "white") for _ in range(pages)]
    sheets[0].save(out, "PDF", save_all=True, append_images=sheets[1:])
    return out.getvalue()


def zipped(**members):
    return zip_of(members)
