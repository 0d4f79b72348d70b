// A target needs a source of its own to own precompiled headers.
