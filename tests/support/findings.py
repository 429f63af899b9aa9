"""Findings in short."""


def codes(findings):
    """{code: count}"""
    return {finding.code: finding.count for finding in findings}
