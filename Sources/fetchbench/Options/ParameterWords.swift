// SPDX-License-Identifier: Apache-2.0

import Runs

/// Supports options with two values, `--parameter-list threads 1,2,4`, which the argument parser does not.
enum ParameterWords {
    private static let flags: Set<String> = ["--parameter-list", "-L"]

    /// Returns the arguments with each name and its values joined: `--parameter-list threads=1,2,4`.
    static func joined(_ arguments: [String]) -> [String] {
        var joined: [String] = []
        var rest = arguments[...]
        while let word = rest.popFirst() {
            joined.append(word)
            if word == "--" { break }
            guard flags.contains(word), let name = rest.first, CommandParameter.isName(name), rest.count > 1 else {
                continue
            }
            joined.append(name + "=" + rest[rest.startIndex + 1])
            rest = rest.dropFirst(2)
        }
        return joined + rest
    }
}
