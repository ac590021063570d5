// SPDX-License-Identifier: Apache-2.0

package import FoundationEssentials
package import TrialKit

/// Another process of the program that runs: what an application was before it was restarted.
package enum ProgramTwin {
    /// Starts it, hands it a document, and waits for its answer and its end.
    /// - Throws: ``FetchFailure`` where it cannot be started or ends badly.
    package static func answer(to document: Data) async throws(FetchFailure) -> Data {
        try await DetachedThread.value { () throws(FetchFailure) in
            let twin = try OwnProgram()
            let process = try twin.start(["trial"])
            // Where it does not read it, its end tells.
            _ = twin.send(document: document)
            let answer = twin.readAll()
            let ending = OwnProgram.ending(of: process)
            guard ending == OwnProgram.success else {
                throw FetchFailure(.other, "the program, started once more, ended \(ending)")
            }
            return Data(answer)
        }
    }
}
