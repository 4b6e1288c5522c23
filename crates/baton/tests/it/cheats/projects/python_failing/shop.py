def total(prices):
    return sum(prices)


def average(prices):
    return total(prices) / len(prices)
