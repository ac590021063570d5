// SPDX-License-Identifier: Apache-2.0

/// The names of APIs in reports.
package enum APIName {
    static let data = "URLSession data task"
    static let dataDelegate = "URLSession data task with a delegate"
    static let download = "URLSession download task"
    static let async = "URLSession async functions"
    static let session = "URLSession configuration"
    static let platform = "URLSession on this platform"
    static let client = "async-http-client"
    static let combine = "OpenCombine on URLSession"
    static let main = "Swift program with an async main"
    static let tasks = "Swift task group on URLSession"

    /// The names of the libraries that are not part of the toolchain.
    package static let packages = [client, combine]

    /// Returns the library of an API.
    static func library(of path: String) -> String {
        path == client ? client : path == combine ? "OpenCombine" : "URLSession"
    }
}
