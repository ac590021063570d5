// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

/// What the built program measures, seen from outside: every test spawns it.
@Suite(.startsCommands, .timeLimit(.minutes(5)))
enum EndToEnd {}

/// What the built program says, stores, refuses and leaves behind, whatever the figures are.
@Suite(.startsCommands, .timeLimit(.minutes(5)))
enum Conduct {}
