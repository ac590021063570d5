// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The folder of the fuzzer: real documents in `Seeds`, what was found in `Corpus`, by target.
struct FuzzFolder {
    let path: String

    /// The documents that inputs are made of; findings are among them, because faults are near faults.
    func mutator(of target: FuzzTarget) throws(FuzzFailure) -> Mutator {
        let seeds = files(in: "Seeds/" + target.name)
        guard !seeds.isEmpty else {
            throw FuzzFailure("\(path)/Seeds/\(target.name) has no document: run in the repository, or give --folder")
        }
        return Mutator(
            seeds: (seeds + files(in: "Corpus/" + target.name)).compactMap { FileManager.default.contents(atPath: $0) }
                .map(Array.init), isBinary: target.isBinary)
    }

    /// One document.
    func seed(_ name: String) throws(FuzzFailure) -> Data {
        guard let data = FileManager.default.contents(atPath: path + "/Seeds/" + name) else {
            throw FuzzFailure("\(path)/Seeds/\(name) cannot be read: run in the repository, or give --folder")
        }
        return data
    }

    /// The files of a folder, in the order of their names.
    private func files(in folder: String) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: path + "/" + folder)) ?? []).sorted()
            .filter { !$0.hasPrefix(".") }.map { path + "/" + folder + "/" + $0 }
    }
}
