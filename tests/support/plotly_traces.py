"""Find a trace of a Plotly figure."""


def trace(figure, name):
    return next(one for one in figure.data if one.name == name)
