// SPDX-License-Identifier: Apache-2.0

package import FoundationEssentials
package import TrialKit

/// Another process of this program, as an application before its relaunch.
package enum ProgramTwin {
    /// Starts a process, sends it a document, and returns its answer after its end.
    package static func answer(to document: Data) async throws(FetchFailure) -> Data {
        try await DetachedThread.value { () throws(FetchFailure) in
            let twin = try OwnProgram()
            let process = try twin.start(["trial"])
            // If the process does not read it, its exit status shows that.
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
