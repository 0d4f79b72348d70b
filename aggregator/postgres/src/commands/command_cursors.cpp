// DECLARE, FETCH, MOVE and CLOSE.
#include "command_words.hpp"

namespace daedalus::postgres {

namespace {

RefusedCommand contradiction(std::string_view one, std::string_view other) {
  return {rejected("42P11", fmt::format("cannot specify both {} and {}", one, other))};
}

struct CursorOptions {
  bool has_scroll = false;
  bool has_no_scroll = false;
  bool is_binary = false;
  bool is_sensitive = false;
  bool is_insensitive = false;
};

CursorOptions read_options(Words& words) {
  CursorOptions options;
  for (bool goes_on = true; goes_on;) {
    if (words.take("scroll")) {
      options.has_scroll = true;
    } else if (words.take("binary")) {
      options.is_binary = true;
    } else if (words.take("insensitive")) {
      options.is_insensitive = true;
    } else if (words.take("asensitive")) {
      options.is_sensitive = true;
    } else if (words.take("no")) {
      options.has_no_scroll = goes_on = words.take("scroll");
    } else {
      goes_on = false;
    }
  }
  return options;
}

/// The way of a FETCH and how many rows, without the cursor's name: what is wrong is seen where that is missing.
void read_way(Words& words, FetchCommand& command) {
  using Way = FetchCommand::Way;
  if (words.left() == 1) {
    return;  // The name alone, whatever it says.
  }
  const auto count_behind = [&](Way way, bool is_optional) {
    command.way = way;
    if (is_optional && words.take("all")) {
      command.count = FetchCommand::kAll;
    } else if (const auto count = words.take_integer()) {
      command.count = *count;
    } else {
      command.is_complete = is_optional;
    }
  };
  if (words.take("next")) {
    return;
  }
  if (words.take("prior")) {
    command.way = Way::kBackward;
  } else if (words.take("first")) {
    command.way = Way::kAbsolute;
  } else if (words.take("last")) {
    command.way = Way::kAbsolute;
    command.count = -1;
  } else if (words.take("absolute")) {
    count_behind(Way::kAbsolute, /*is_optional=*/false);
  } else if (words.take("relative")) {
    count_behind(Way::kRelative, /*is_optional=*/false);
  } else if (words.take("backward")) {
    count_behind(Way::kBackward, /*is_optional=*/true);
  } else {
    static_cast<void>(words.take("forward"));
    count_behind(Way::kForward, /*is_optional=*/true);
  }
}

}  // namespace

Command declare_command(Words& words) {
  if (!words.is_name()) {
    return syntax_error(words);
  }
  DeclareCommand command;
  command.cursor = words.take_name();
  const CursorOptions options = read_options(words);
  if (!words.take("cursor")) {
    return syntax_error(words);
  }
  if (words.is("with") || words.is("without")) {
    command.is_holdable = words.take("with");
    if (!command.is_holdable) {
      words.skip();
    }
    if (!words.take("hold")) {
      return syntax_error(words);
    }
  }
  if (!words.take("for") || !begins_query(words)) {
    return syntax_error(words);
  }
  if (options.has_scroll && options.has_no_scroll) {
    return contradiction("SCROLL", "NO SCROLL");
  }
  if (options.is_sensitive && options.is_insensitive) {
    return contradiction("ASENSITIVE", "INSENSITIVE");
  }
  command.may_go_back = !options.has_no_scroll;
  command.is_binary = options.is_binary;
  command.query_at = words.offset();
  return command;
}

Command fetch_command(Words& words, bool is_move) {
  FetchCommand command;
  command.is_move = is_move;
  read_way(words, command);
  if (!command.is_complete) {
    return syntax_error(words);
  }
  if (words.left() > 1) {
    static_cast<void>(words.take("from") || words.take("in"));
  }
  if (!words.is_name()) {
    return syntax_error(words);
  }
  command.cursor = words.take_name();
  return words.is_at_end() ? Command(std::move(command)) : Command(syntax_error(words));
}

Command close_command(Words& words) {
  if (words.is("all") && words.left() == 1) {
    return CloseCommand{};
  }
  if (!words.is_name()) {
    return syntax_error(words);
  }
  CloseCommand command{words.take_name()};
  return words.is_at_end() ? Command(std::move(command)) : Command(syntax_error(words));
}

}  // namespace daedalus::postgres
