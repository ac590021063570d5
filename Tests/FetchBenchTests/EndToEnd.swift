// SPDX-License-Identifier: Apache-2.0

import Testing

/// Measurements of the built program; every test starts it.
@Suite(.startsCommands, .timeLimit(.minutes(5)))
enum EndToEnd {}

/// Output, stored files and errors of the built program, independent of the figures.
@Suite(.startsCommands, .timeLimit(.minutes(5)))
enum Conduct {}
