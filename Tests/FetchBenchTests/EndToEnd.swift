// SPDX-License-Identifier: Apache-2.0

import Testing

/// What the built program does, seen from outside: every test spawns it.
///
/// One after another, because some measure memory and time, and two of them would measure each other.
@Suite(.serialized, .timeLimit(.minutes(2)))
enum EndToEnd {}
