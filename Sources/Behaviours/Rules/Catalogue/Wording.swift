// SPDX-License-Identifier: Apache-2.0

import MemProbe
import Texts

/// The notation of figures in observations.
enum Wording {
    static func mebibytes(_ bytes: Int) -> String { ByteText.mebibytes(ByteCount(bytes)) }

    /// Returns seconds with one digit, or `never` for a client that did not leave.
    static func seconds(_ seconds: Double?) -> String {
        guard let seconds else { return "never" }
        let tenths = Int((seconds * 10).rounded())
        return "\(tenths / 10).\(tenths % 10) s"
    }

    /// Returns `1 request`, `2 requests`.
    static func count(_ number: Int, _ noun: String) -> String {
        "\(number) \(noun)\(number == 1 ? "" : "s")"
    }
}

/// The names of APIs in reports.
enum Path {
    static let data = "URLSession data task"
    static let dataDelegate = "URLSession data task with a delegate"
    static let download = "URLSession download task"
    static let async = "URLSession async functions"
    static let session = "URLSession configuration"
    static let platform = "URLSession on this platform"
    static let client = "async-http-client"
    static let combine = "OpenCombine on URLSession"
    static let tasks = "Swift task group on URLSession"
}
