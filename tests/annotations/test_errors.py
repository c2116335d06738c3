import pickle

from manyhands import errors


def test_the_tree():
    for name in ("LabelError", "ParameterError", "UnsupportedError", "FormatError"):
        assert issubclass(getattr(errors, name), ValueError)
        assert issubclass(getattr(errors, name), errors.ManyhandsError)
    assert issubclass(errors.FileError, OSError)


def test_a_row_becomes_a_place():
    error = errors.UnknownClassError("label 'row 12' in row 1 and in row 12 is not known", 1).at("line 3", 2)
    assert type(error) is errors.UnknownClassError
    assert (str(error), error.row) == ("label 'row 12' in line 3 and in row 12 is not known", 2)


def test_a_place_is_taken_as_it_is():
    assert str(errors.LabelError("row 1 is odd", 1).at(r"\1 line 3")) == r"\1 line 3 is odd"


def test_without_a_row():
    assert str(errors.LabelError("row 1 is odd").at("line 3")) == "row 1 is odd"


def test_pickles():
    again = pickle.loads(pickle.dumps(errors.RepeatedAnswerError("twice", 3)))
    assert str(again) == "twice"
    assert again.row == 3
