"""The limits on untrusted files, each with its reason; SECURITY.md has them as a table.

They are far above real data. Sizes are counted while a file is read, because what a file says about itself may be
false.
"""

from __future__ import annotations

# Files and archives
MAX_FILE_BYTES = 4 << 30  # more does not fit into the memory of most machines
MAX_PIPE_BYTES = 256 << 20  # the size of a pipe is not known before it ends
MAX_FILES = 500_000  # files of a folder or an archive; a page has one, or one and its image
MAX_UNPACKED = 4 << 30  # bytes of an archive, as for a single file
# Text is packed to a tenth or twentieth of its size; an archive that becomes much larger is a zip bomb.
UNPACKED_FLOOR = 24 << 20  # an archive up to PACKED_FLOOR may unpack to this
PACKED_FLOOR = 1 << 20
UNPACKED_RATIO = 100  # and each byte above PACKED_FLOOR to this many
# One value, tag or line takes up to a microsecond and a hundred bytes, and packs very well if all are alike.
PARTS_FLOOR = 1_000_000  # lists and objects, tags, hOCR classes or lines of all files of an archive together
PACKED_BYTES_PER_PART = 4  # packed bytes for each further one; real ones take ten and more
MAX_LZMA_DICTIONARY = 64 << 20  # what the strongest usual setting needs; it is allocated before anything is unpacked
# A page costs a report about 50 microseconds, also if it has no regions and is packed into less than a byte.
PAGES_FLOOR = 100_000  # pages of a file of any size
STORED_BYTES_PER_PAGE = 10  # packed bytes for each page of a larger file; a real page has a name and several boxes

# Names and tables
MAX_NAME = 1_000  # characters of a label, a page or a document; longer ones cannot be shown
MAX_ATTRIBUTES = 100  # names of attributes of pages; data sets have about ten, and each is a column for all pages
MAX_ATTRIBUTE_TEXT = 100  # characters of an attribute in a file; a longer one is a free text, which groups no pages
MAX_COLUMNS = 4_096  # columns of a table; about ten are used
# Labels and findings take a few thousand. Arrow can store it twice, which must fit into PARQUET_FOOTER_FLOOR.
MAX_METADATA = 192 << 10  # bytes of JSON in the metadata of a Parquet file
PARQUET_ROWS_FLOOR = 500_000  # rows of a Parquet file of any size
PARQUET_BYTES_PER_ROW = 4  # bytes of the file for each further row; real boxes take six and more
PARQUET_DECODED_FLOOR = 64 << 20  # bytes of the decompressed parts of a Parquet file of any size
PARQUET_DECODED_RATIO = 40  # and of a large one, for each byte of the file
PARQUET_FOOTER_FLOOR = 512 << 10  # bytes that describe the parts of a Parquet file, or an eighth of a large file

# JSON, XML, HTML and YAML
MAX_EXPLAINED_BYTES = 100 << 20  # larger JSON is not decoded a second time to explain an error
MAX_XML_DEPTH = 400  # nested elements; real files have about ten levels
MAX_XML_ELEMENTS = 500_000  # elements of one page in memory, more than any page has
MAX_NAMESPACE = 1_000  # bytes; the parser repeats the namespace in every name
MAX_TAGS = 5_000_000  # tags of an HTML or DocTags file
MAX_TAG_BYTES = 1 << 16  # bytes of one HTML tag that are searched for attributes
MAX_STATED_PAGES = 100_000  # pages of a DocTags, DeepSeek-OCR or OpenDataLoader file
MAX_YAML_DEPTH = 64  # nested collections of a handwritten file; the compiled loader would crash on deep ones
MAX_YAML_SIZE = 10_000_000  # characters with all aliases expanded; each value adds YAML_VALUE_SIZE
YAML_VALUE_SIZE = 25

# Shapes
MAX_OUTLINE_TEXT = 1 << 20  # characters of one outline
MAX_MASK_BYTES = 16 << 20  # bytes of an image that is a mask, after the packing around it
# A blank mask packs very well, and each pixel takes about 20 nanoseconds.
MASK_PIXELS_FLOOR = 1 << 27  # pixels of all masks of a file of any size; A3 at 600 dpi has 70 million
MASK_PIXELS_PER_BYTE = 128  # pixels for each byte of a larger file; real masks have about 60

# Page images
MAX_PICTURES = 100_000  # pictures of all given images together: pages of PDFs, frames of TIFFs, files of zips
MAX_PICTURE_BYTES = 256 << 20  # bytes of one image or PDF in a zip; a raw scan of A3 at 600 dpi has 208 MB
MAX_PIXELS = 120_000_000  # pixels of an image that is shown; A3 at 600 dpi has 70 million
MAX_PDF_OBJECTS = 100_000  # texts, paths and images of a page that is drawn; beyond some 9,000, it is drawn smaller
HEADER_BYTES = 16 << 20  # bytes that may be read to find the size of an image
READ_RATIO = 4  # bytes of an archive that may be read for this, for each of its bytes and above HEADER_BYTES
READ_COST = 64  # bytes that one read counts at least; it bounds the number of parts that a header can have


def unpacked_limit(packed: int) -> int:
    """The bytes to which an archive of `packed` bytes may unpack."""
    return min(MAX_UNPACKED, UNPACKED_FLOOR + UNPACKED_RATIO * max(0, packed - PACKED_FLOOR))
