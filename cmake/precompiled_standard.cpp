// The source that owns precompiled_standard.hpp, and refuses what must not creep into it.
#if defined(GOOGLE_PROTOBUF_VERSION) || defined(FMT_VERSION) || defined(SPDLOG_VERSION) || defined(BOOST_ASIO_VERSION)
#error "base, semantics and the engine have nothing of Protocol Buffers, fmt, spdlog or Asio precompiled"
#endif
