// SPDX-License-Identifier: Apache-2.0

import Runs
import TrialKit

extension TrialPrograms {
    /// This project's programs in the order of their modes in lists, each with the modes that it has.
    ///
    /// A program that is not built cannot be asked for its modes, and a missing mode is no unknown one.
    package static let own: KeyValuePairs<String, [String]> = [
        "trial-urlsession": [
            "sync-data", "sync-string", "gcd-data", "data", "data-async", "data-delegate", "stream", "stream-bounded",
            "download", "download-async", "download-delegate", "taskgroup-data", "taskgroup-download",
            "taskgroup-dictionary", "taskgroup-discarding", "upload", "upload-file",
        ],
        "trial-opencombine": [
            "publisher-data", "publisher-download", "publisher-share", "publisher-connectable", "publisher-retry-catch",
            "publisher-decode", "publisher-picture",
        ],
        "trial-async-http-client": ["ahc-stream", "ahc-collect", "ahc-file"],
        "trial-nio": ["nio-stream"],
        "trial-curl": ["curl-stream"],
        "trial-raw": ["raw", "raw-drop"],
    ]

    /// Returns the modes with these names.
    func resolveModes(_ names: [String]) throws(PlanMistake) -> [ModeDeclaration] {
        for name in names where !modes.contains(where: { $0.name == name }) {
            guard let owner = Self.own.first(where: { $0.value.contains(name) })?.key, missing.contains(owner) else {
                continue
            }
            throw PlanMistake("mode \(name) is not built (program \(owner)): run `make build`")
        }
        return try WordList.resolve(names, kind: "mode", among: modes, name: \.name, listedBy: "list modes")
    }
}
