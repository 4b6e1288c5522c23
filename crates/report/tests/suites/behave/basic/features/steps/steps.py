from behave import given, then


@given("a cart")
def cart(context):
    pass


@then("it is fine")
def fine(context):
    pass


@then("it is wrong")
def wrong(context):
    assert 1 + 1 == 3, "two"
