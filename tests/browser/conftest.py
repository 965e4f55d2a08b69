"""Fixtures of the tests of the page; under another name, so that tests can import what stands beside them."""

from small_campaign import browser, open_page, results

__all__ = ["browser", "open_page", "results"]
