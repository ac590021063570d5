// SPDX-License-Identifier: Apache-2.0

import Behaviours
import Foundation
import Glibc
import Measuring
import Origin

/// The runner of the built program, as `fetchbench behaviours` has it.
enum LiveRunner {
    /// The program that was built beside these tests.
    private static let executable: String = {
        let own = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        let sibling = URL(fileURLWithPath: own).deletingLastPathComponent().path + "/behaviour-probes"
        if access(sibling, X_OK) == 0 { return sibling }
        return ProcessInfo.processInfo.environment["FETCHBENCH_BINARY"] ?? sibling
    }()

    /// Returns a runner whose children have their folders below `trials` of a folder.
    static func make(in folder: String) -> BehaviourRunner {
        BehaviourRunner(
            executable: executable,
            variables: TrialVariables(environment: ProcessInfo.processInfo.environment, fixed: [:]),
            library: AssetLibrary(cacheDirectory: folder + "/cache"), directory: folder + "/trials")
    }

    /// Returns a new folder with `trials` in it.
    static func folder() throws -> String {
        let folder = FileManager.default.temporaryDirectory.path + "/fetchbench-probes-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder + "/trials", withIntermediateDirectories: true)
        return folder
    }

    /// Does the work for each item, a number of them at the same time, in no order.
    static func each<Item: Sendable, Result: Sendable>(
        of items: [Item], jobs: Int, _ work: @escaping @Sendable (Item) async -> Result
    ) async -> [(Item, Result)] {
        await withTaskGroup(of: (Item, Result).self) { group in
            var rest = items.makeIterator()
            func begin() {
                guard let item = rest.next() else { return }
                group.addTask { (item, await work(item)) }
            }
            for _ in 0..<jobs { begin() }
            var all: [(Item, Result)] = []
            for await result in group {
                all.append(result)
                begin()
            }
            return all
        }
    }
}
