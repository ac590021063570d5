// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc
import TrialKit

/// The child of `fetchbench --url`: finds out what the server sends before anything is measured.
///
/// One request in, one report out, each a JSON document. Its client is none of those that are compared, and nothing of
/// it is measured.
@main
enum ReferenceFetch {
    static func main() {
        ProcessLife.endsWithParent()
        guard let request = try? JSONDecoder().decode(ReferenceRequest.self, from: standardInput()) else {
            complain("standard input holds no request; `fetchbench --url` starts this program")
            _exit(64)
        }
        var course = ReferenceCourse(request)
        course.run()
        guard let text = try? JSONEncoder().encode(course.report) else { _exit(2) }
        write(text)
        _exit(0)
    }

    private static func standardInput() -> Data {
        var content = Data()
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = read(STDIN_FILENO, &buffer, buffer.count)
            guard count > 0 else { return content }
            content.append(contentsOf: buffer[..<count])
        }
    }

    private static func write(_ text: Data) {
        text.withUnsafeBytes { bytes in
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = Glibc.write(STDOUT_FILENO, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
                guard count > 0 else { _exit(2) }
                rest = rest.dropFirst(count)
            }
        }
    }

    private static func complain(_ words: String) {
        _ = "error: \(words)\n".withCString { Glibc.write(STDERR_FILENO, $0, strlen($0)) }
    }
}
