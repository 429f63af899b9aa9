__version__: str

from .comparing import compare as compare
from .comparison import Comparison as Comparison
from .errors import InputError as InputError
from .formats import read as read
from .layouts.model import Finding as Finding
from .layouts.model import Layout as Layout
from .layouts.repairs import fix as fix
from .layouts.repairs import repair as repair
from .layouts.writers import write as write
from .metrics.confusion import Confusion as Confusion
from .metrics.confusion import label_sets_confusion as label_sets_confusion
from .metrics.family_confusion import FamilyConfusion as FamilyConfusion
from .metrics.family_confusion import label_sets_families as label_sets_families
from .metrics.family_trees import suggest_families as suggest_families
from .metrics.intervals import Intervals as Intervals
from .metrics.objects.centroids import centroid_match as centroid_match
from .metrics.scores import accuracy as accuracy
from .metrics.scores import averages as averages
from .metrics.soft import soft_scores as soft_scores
from .models.agreement import agreement as agreement
from .models.differences import difference as difference
from .pixels.pair_counts import PairCounts as PairCounts
from .tables.loaded_result import Result as Result
from .tables.loaded_result import load_result as load_result
