def test_adds():  # PASSES
    assert True


def test_adds_again():  # PASSES
    assert True
