// SPDX-License-Identifier: Apache-2.0

import Testing

/// What the built program measures, seen from outside: every test spawns it.
///
/// One after another, because two of them would measure each other.
@Suite(.serialized, .timeLimit(.minutes(5)))
enum EndToEnd {}

/// What the built program says, stores, refuses and leaves behind, whatever the figures are.
///
/// One after another as well, so that no machine runs more than two of them at once; but beside ``EndToEnd``, for
/// these mostly wait.
@Suite(.serialized, .timeLimit(.minutes(5)))
enum Conduct {}
