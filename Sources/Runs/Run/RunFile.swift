// SPDX-License-Identifier: Apache-2.0

import Foundation
import MemProbe
import Support

/// `run.json` as it is stored, read trial by trial: a run may have ten thousand of 9 KB each, and the tree of such a
/// document would take ten times of what the trials do.
struct RunFile {
    /// What trials have in common, and is kept once.
    static var repeated: [any Decodable.Type] { [Case.self, AllocatorIdentity.self] }

    /// The document without its trials.
    let head: Data
    /// The trials, up to the first one that is none.
    let trials: [Trial]
    /// What is wrong with that one; `nil` where all are trials.
    let fault: (any Error)?

    /// Reads a folder's file.
    /// - Throws: ``FetchBenchError/malformedRun(name:reason:)`` where it is no JSON object.
    init(_ folder: RunFolder) throws(FetchBenchError) {
        let decoder = JSONValueDecoder(repeating: Self.repeated)
        let list = "trials"
        var trials: [Trial] = []
        var fault: (any Error)?
        let reader = JSONDocumentReader(try folder.window(on: .run), list: list)
        do throws(JSONDocumentReader.Fault) {
            head = try reader.read { item in
                guard fault == nil else { return }
                do {
                    let place: [any CodingKey] = [JSONKey(list), JSONKey(item.index)]
                    trials.append(try decoder.decode(Trial.self, item, at: place))
                } catch {
                    fault = error
                }
            }
        } catch {
            switch error {
            case .file(let failure): throw .file(failure)
            case .malformed(let offset, let reason):
                throw .malformedRun(name: folder.name, reason: "run.json is damaged at byte \(offset): \(reason)")
            }
        }
        self.trials = trials
        self.fault = fault
    }
}
