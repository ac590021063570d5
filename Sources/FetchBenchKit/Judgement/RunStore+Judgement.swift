// SPDX-License-Identifier: Apache-2.0

import Foundation

extension RunStore {
    /// What a check or a comparison found.
    package static func judgement(in folder: RunFolder) throws(FetchBenchError) -> Judgement {
        let data = try folder.data(of: .judgement)
        do {
            return try JSONDecoder().decode(Judgement.self, from: data)
        } catch {
            throw FetchBenchError.malformedRun(name: folder.name, reason: RunCoding.explanation(of: error))
        }
    }
}
