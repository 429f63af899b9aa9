"""The thirty documents of the sample: six of each type, with their length and their attributes."""

import random
from dataclasses import dataclass

SCAN, DIGITAL = "scan", "digital"


@dataclass(frozen=True)
class Document:
    """What is decided about a document before it is drawn; everything else is drawn at random, seeded by its name."""

    name: str
    topic: str  # a name of prose/topics.txt
    pages: int
    columns: int
    year: int
    quality: str = DIGITAL

    @property
    def category(self) -> str:
        return self.name.partition("-")[0]

    @property
    def page_names(self) -> list[str]:
        return [f"{self.name}_p{number}" for number in range(1, self.pages + 1)]

    @property
    def attributes(self) -> dict[str, str | int]:
        """The page attributes, which are the same for all pages of a document."""
        category, columns = self.category, self.columns
        return {"doc_category": category, "columns": columns, "quality": self.quality, "year": self.year}

    def rng(self, purpose: str) -> random.Random:
        """A random generator of its own for each purpose, so that a change of one does not change the others."""
        return random.Random(f"{self.name} {purpose}")


DOCUMENTS = (
    Document("paper-1", "rivers", 4, 2, 2023),
    Document("paper-2", "bees", 2, 2, 2021),
    Document("paper-3", "glaciers", 3, 1, 2019, SCAN),
    Document("paper-4", "clocks", 2, 2, 2024),
    Document("paper-5", "seeds", 2, 1, 2022),
    Document("paper-6", "pianos", 1, 2, 2020, SCAN),
    Document("report-1", "lighthouses", 4, 1, 2023),
    Document("report-2", "trams", 3, 2, 2022),
    Document("report-3", "archives", 2, 1, 2019, SCAN),
    Document("report-4", "wool", 2, 1, 2024),
    Document("report-5", "bread", 1, 2, 2020),
    Document("report-6", "kilns", 2, 1, 2021, SCAN),
    Document("invoice-1", "clocks", 3, 1, 2023),
    Document("invoice-2", "kilns", 1, 1, 2024),
    Document("invoice-3", "pianos", 2, 1, 2019, SCAN),
    Document("invoice-4", "bread", 1, 1, 2022),
    Document("invoice-5", "trams", 2, 1, 2021),
    Document("invoice-6", "wool", 1, 1, 2020, SCAN),
    Document("magazine-1", "lighthouses", 4, 3, 2023),
    Document("magazine-2", "wool", 2, 3, 2022),
    Document("magazine-3", "bees", 3, 2, 2024),
    Document("magazine-4", "trams", 2, 3, 2019, SCAN),
    Document("magazine-5", "kilns", 1, 2, 2021),
    Document("magazine-6", "glaciers", 2, 3, 2020, SCAN),
    Document("letter-1", "rivers", 1, 1, 2021),
    Document("letter-2", "seeds", 2, 1, 2023),
    Document("letter-3", "archives", 1, 1, 2019, SCAN),
    Document("letter-4", "pianos", 1, 1, 2024),
    Document("letter-5", "lighthouses", 2, 1, 2020, SCAN),
    Document("letter-6", "bread", 1, 1, 2022),
)
