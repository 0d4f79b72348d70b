"""The way in and out: a cluster and its peers asked the same, end to end."""
