__version__: str

from .centroids import centroid_match as centroid_match
from .comparison import Comparison as Comparison
from .comparison import compare as compare
from .confusion import Confusion as Confusion
from .confusion import label_sets_confusion as label_sets_confusion
from .errors import InputError as InputError
from .families import FamilyConfusion as FamilyConfusion
from .families import label_sets_families as label_sets_families
from .family_trees import suggest_families as suggest_families
from .formats import read as read
from .layouts.model import Finding as Finding
from .layouts.model import Layout as Layout
from .layouts.repairs import fix as fix
from .layouts.writers import write as write
from .pixels.pair_counts import PairCounts as PairCounts
from .resample import Intervals as Intervals
from .resample import difference as difference
from .scores import accuracy as accuracy
from .scores import averages as averages
from .soft import soft_scores as soft_scores
