"""A factorization machine that predicts clicks, trained by Adagrad on batches.

    score(x) = bias + sum of the weights of x's features
                    + sum over pairs of them of the product of their factors

As one-hot rows the whole batch is a few matrix products.
"""

import numpy

from clicks import FEATURES, FIELDS, VALUES, Files, files_of, log_loss, read

FACTORS = 8
COLUMNS = 1 + FACTORS  # of a feature's row of parameters: its weight, its factors


def one_hot(values):
    """(records, FEATURES) with a 1 at every feature that a record has."""
    matrix = numpy.zeros((len(values), FEATURES))
    features = values + VALUES * numpy.arange(FIELDS)
    matrix[numpy.arange(len(values))[:, None], features] = 1
    return matrix


def new_parameters(seed):
    """One row a feature.  The bias needs none: every record has FIELDS features."""
    chance = numpy.random.default_rng(seed)
    parameters = 0.05 * chance.standard_normal((FEATURES, COLUMNS))
    parameters[:, 0] = -1 / FIELDS
    return parameters


def predict(parameters, matrix):
    """(probabilities, what `gradient` needs of the way there)"""
    factors = parameters[:, 1:]
    sums = matrix @ factors
    pairs = (sums ** 2 - matrix @ factors ** 2).sum(1) / 2
    score = matrix @ parameters[:, 0] + pairs
    return 1 / (1 + numpy.exp(-score)), sums


def gradient(parameters, values, clicks):
    """(sum over the records of the gradient of their loss, sum of their losses)"""
    matrix = one_hot(values)
    probabilities, sums = predict(parameters, matrix)
    errors = probabilities - clicks
    result = numpy.empty_like(parameters)
    result[:, 0] = matrix.T @ errors
    result[:, 1:] = (matrix.T @ (errors[:, None] * sums)
                     - parameters[:, 1:] * result[:, :1])
    return result, log_loss(clicks, probabilities) * len(clicks)


class Adagrad:
    """Steps that get smaller where much was learned already."""

    def __init__(self, rows, rate):
        self.rate = rate
        self.squares = numpy.full((rows, COLUMNS), 1e-6)

    def step(self, parameters, mean_gradient):
        self.squares += mean_gradient ** 2
        parameters -= self.rate * mean_gradient / numpy.sqrt(self.squares)


def test_losses(parameters, folder, batch=4000):
    """(sum of the losses over all records of a folder, how many they are)"""
    stream = Files(files_of(folder))
    losses = records = 0
    while True:
        clicks, values = read(stream, batch)
        if not len(clicks):
            return losses, records
        probabilities, _ = predict(parameters, one_hot(values))
        losses += log_loss(clicks, probabilities) * len(clicks)
        records += len(clicks)
