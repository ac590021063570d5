// SPDX-License-Identifier: Apache-2.0

import Foundation

extension RunStore {
    /// What a check or a comparison found.
    package static func judgement(in folder: RunFolder) throws(FetchBenchError) -> Judgement {
        try conclusion(Judgement.self, in: .judgement, of: folder)
    }

    /// What a calibration found.
    package static func calibration(in folder: RunFolder) throws(FetchBenchError) -> Calibration {
        try conclusion(Calibration.self, in: .calibration, of: folder)
    }

    private static func conclusion<Conclusion: Decodable>(
        _ type: Conclusion.Type, in file: RunFolder.File, of folder: RunFolder
    ) throws(FetchBenchError) -> Conclusion {
        guard folder.has(file) else {
            throw FetchBenchError.nothingToDraw(
                name: folder.name,
                reason: "no \(file.rawValue) yet: it was interrupted, or goes on; --resume finishes it")
        }
        let data = try folder.data(of: file)
        do {
            return try JSONDecoder().decode(type, from: data)
        } catch {
            throw FetchBenchError.malformedRun(name: folder.name, reason: RunCoding.explanation(of: error))
        }
    }
}
