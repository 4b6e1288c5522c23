def test_adds():
    assert True
