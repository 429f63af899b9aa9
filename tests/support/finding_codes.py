"""Short forms of findings, to compare in tests."""


def codes(findings):
    """{code: count}"""
    return {finding.code: finding.count for finding in findings}
