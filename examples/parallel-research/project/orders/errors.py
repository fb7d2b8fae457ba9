"""What can go wrong with an order."""


class OrderError(Exception):
    """Anything that is wrong with an order."""


class OutOfStock(OrderError):
    def __init__(self, item):
        super().__init__(f"{item} is out of stock")
        self.item = item


class PaymentRefused(OrderError):
    pass
