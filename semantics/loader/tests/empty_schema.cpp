// A shared library that exports no schema.
extern "C" int nothing_of_interest() { return 0; }
