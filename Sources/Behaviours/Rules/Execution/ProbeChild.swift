// SPDX-License-Identifier: Apache-2.0

import Foundation
import Measuring

/// A probe or a compiler as a child process.
struct ProbeChild: Sendable {
    private let order: ProcessOrder

    init(
        executable: String, arguments: [String], environment: [String: String], directory: String, limit: Duration
    ) {
        var order = ProcessOrder(
            program: executable, arguments: arguments, environment: environment, directory: directory, limit: limit)
        // swiftc chooses its mode by argv[0].
        order.name = nil
        self.order = order
    }

    /// Runs the child to its end; `onLine` gets each line and the process ID, and returns true to answer the line.
    func run(onLine: @escaping @Sendable (String, Int32) async throws -> Bool) async throws -> ProcessEnd {
        var (end, complaints) = try await ProcessLauncher().converse(order, onLine: onLine)
        // The compiler's own errors come before its notes.
        let error = complaints.split(separator: "\n").lazy.compactMap { line in
            line.range(of: ": error: ").map { String(line[$0.upperBound...]) }
        }.first
        end.complaint = String((error ?? end.complaint).prefix(Self.complaintLimit))
        return end
    }

    private static let complaintLimit = 200
}
