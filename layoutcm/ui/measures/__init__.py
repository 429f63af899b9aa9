"""Measures: objects, families of labels, soft scores, calibration, centroids."""
