// Conversations with a state machine, kept as text: commands, "----", what came out.
//
// A file holds blocks, divided by empty lines; lines that begin with # are comments. "reset" as the first command of a
// block starts with a fresh machine. DAEDALUS_REWRITE=1 prints the conversation as it really went.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <functional>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

namespace daedalus::node {

/// Takes one command line and appends what came out, one line each.
using Interpreter = std::function<void(const std::string& command, std::vector<std::string>* lines)>;

inline void check_block(const std::string& where, const std::vector<std::string>& comments,
                        const std::vector<std::string>& commands, const std::vector<std::string>& expected,
                        const Interpreter& interpret) {
  std::vector<std::string> actual;
  for (const std::string& command : commands) {
    interpret(command, &actual);
  }
  const auto join = [](const std::vector<std::string>& lines) {
    std::string text;
    for (const std::string& line : lines) {
      text += line + "\n";
    }
    return text;
  };
  if (std::getenv("DAEDALUS_REWRITE") != nullptr) {
    std::cout << join(comments) << join(commands) << "----\n" << join(actual) << "\n";
  }
  EXPECT_EQ(join(actual), join(expected)) << where << "\n" << join(comments) << join(commands);
}

inline void check_transcript(const std::string& path, const Interpreter& interpret) {
  std::ifstream in(path);
  ASSERT_TRUE(in) << path;
  std::vector<std::string> comments;
  std::vector<std::string> commands;
  std::vector<std::string> expected;
  bool after_line = false;
  int line_number = 0;
  int blocks = 0;
  const auto finish = [&] {
    if (!commands.empty()) {
      check_block(path + ":" + std::to_string(line_number), comments, commands, expected, interpret);
      ++blocks;
    }
    comments.clear();
    commands.clear();
    expected.clear();
    after_line = false;
  };
  for (std::string line; std::getline(in, line);) {
    ++line_number;
    if (line.empty()) {
      finish();
    } else if (line[0] == '#') {
      comments.push_back(line);
    } else if (line == "----") {
      after_line = true;
    } else {
      (after_line ? expected : commands).push_back(line);
    }
  }
  finish();
  EXPECT_GT(blocks, 0) << path;
}

}  // namespace daedalus::node
