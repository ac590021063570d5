// SPDX-License-Identifier: Apache-2.0

import TestSupport

/// The second opinion on arithmetic: Python's own `eval`, one line of input for each line of output.
enum Python {
    /// The value of each expression; `zero` where it divides by zero.
    static func evaluate(_ expressions: [String]) throws -> [String] {
        let program = """
            import sys
            for line in sys.stdin.read().splitlines():
                try:
                    print(repr(eval(line)))
                except ZeroDivisionError:
                    print("zero")
            """
        let asked = Array(expressions.joined(separator: "\n").utf8)
        let answer = try TestProcess.run("/usr/bin/python3", ["-c", program], input: asked).text
        return answer.split(separator: "\n").map(String.init)
    }
}
