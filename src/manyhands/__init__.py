from .annotations import Annotations
