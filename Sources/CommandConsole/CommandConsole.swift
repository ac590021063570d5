// SPDX-License-Identifier: Apache-2.0

// The targets that the code of every command uses: a file that imports `CommandConsole` has them, too.
@_exported public import ArgumentParser
@_exported public import Measuring
@_exported public import Runs
