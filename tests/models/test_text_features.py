from __future__ import annotations

import json
import sys
import types

import numpy as np
import pytest
from sklearn.feature_extraction.text import TfidfVectorizer

from manyhands.errors import FormatError, LabelError, UnsupportedError
from manyhands.models.text_features import TextFeatures, text_features_from

TEXTS = ["a good film", "a bad film", "good good acting", "bad acting in a film"]


def test_it_is_scikit_learns_tfidf():
    expected = TfidfVectorizer(sublinear_tf=True, ngram_range=(1, 2), min_df=2).fit(TEXTS)
    features = TextFeatures().fit(TEXTS)
    np.testing.assert_allclose(
        features.transform(["good bad film"]).toarray(), expected.transform(["good bad film"]).toarray()
    )


def test_it_comes_back_from_json_to_the_bit():
    features = TextFeatures().fit(TEXTS)
    twin = text_features_from(json.loads(json.dumps(features.to_dict())))
    new = ["a good bad film", "", "never seen"]
    assert (features.transform(new) != twin.transform(new)).nnz == 0
    assert features.transform(new).dtype == np.float32


def test_few_texts_keep_words_that_occur_once_and_none_is_an_error():
    assert TextFeatures().fit(["one text", "another"]).transform(["one"]).nnz == 1
    with pytest.raises(LabelError, match="not one word"):
        TextFeatures().fit(["", "-"])


def test_a_garbled_vocabulary_is_told():
    with pytest.raises(FormatError, match="one weight a word"):
        text_features_from({"tfidf": {"words": ["a", "b"], "idf": [1.0]}})


def test_an_encoder_by_name(monkeypatch):
    with pytest.raises(UnsupportedError, match="pip install sentence-transformers"):
        text_features_from({"encoder": "mini"})
    module = types.ModuleType("sentence_transformers")
    module.__spec__ = types.SimpleNamespace()  # type: ignore[assignment]

    class Fake:
        def __init__(self, name):
            if name != "mini":
                raise OSError(f"{name} is not a local folder\nand so on")

        def encode(self, texts, **options):
            return np.array([[len(text), text.count("a")] for text in texts])

    module.SentenceTransformer = Fake  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "sentence_transformers", module)
    encoder = text_features_from({"encoder": "mini"})
    assert encoder.to_dict() == {"encoder": "mini"}
    assert encoder.fit(TEXTS).transform(["aba"]).tolist() == [[3, 2]]
    with pytest.raises(UnsupportedError, match="'maxi' cannot be loaded"):
        text_features_from({"encoder": "maxi"}).transform(["x"])
