"""Takes an order from basket to payment."""
import logging

from orders.errors import OutOfStock, PaymentRefused

log = logging.getLogger(__name__)


def reserve(stock, item):
    try:
        stock[item] -= 1
    except KeyError:
        raise OutOfStock(item) from None


def pay(gateway, amount):
    try:
        return gateway.charge(amount)
    except ConnectionError as error:
        log.warning("payment is tried again: %s", error)
        return gateway.charge(amount)
    except Exception:
        log.error("payment failed")
        raise PaymentRefused() from None
