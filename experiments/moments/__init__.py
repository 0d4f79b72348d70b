"""Answers at one moment: what they cost beside the build before, and what they are worth."""
