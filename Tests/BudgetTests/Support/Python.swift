// SPDX-License-Identifier: Apache-2.0

import Foundation

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
        let process = Process()
        let (input, output) = (Pipe(), Pipe())
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["python3", "-c", program]
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        // Python reads all of its input before it writes, so neither side waits for the other.
        try input.fileHandleForWriting.write(contentsOf: Data(expressions.joined(separator: "\n").utf8))
        try input.fileHandleForWriting.close()
        let answer = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return String(decoding: answer, as: UTF8.self).split(separator: "\n").map(String.init)
    }
}
