// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// The pictures and the output that documents show.
    @Suite struct ReadmePictures {
        @Test func picturesAreOfTheRunsThatTheDocumentsShow() async throws {
            let sandbox = try Sandbox("pictures")
            let script = BuiltBinary.package + "/scripts/draw-pictures"
            let ended = try await sandbox.start(script, [BuiltBinary.path, "--check"]).end(within: 60)
            #expect(ended.status == 0, "\(ended.output)\(ended.complaint)")
        }

        @Test func outputIsWhatTheStoredRunsPrint() async throws {
            let sandbox = try Sandbox("output")
            let script = BuiltBinary.package + "/scripts/shown-output"
            let ended = try await sandbox.start(script, [BuiltBinary.path, "--check"]).end(within: 60)
            #expect(ended.status == 0, "\(ended.output)\(ended.complaint)")
        }

        @Test func anotherPictureWouldBeSeen() async throws {
            let sandbox = try Sandbox("other-pictures")
            let copy = sandbox.work + "/package"
            for folder in ["/scripts", "/docs/pictures"] {
                try FileManager.default.createDirectory(atPath: copy + folder, withIntermediateDirectories: true)
            }
            for name in ["scripts/draw-pictures", "scripts/draw-targets"] {
                try TestProcess.copyItem(at: "\(BuiltBinary.package)/\(name)", to: "\(copy)/\(name)")
            }
            for name in ["results", "Sources"] {
                try FileManager.default.createSymbolicLink(
                    atPath: "\(copy)/\(name)", withDestinationPath: "\(BuiltBinary.package)/\(name)")
            }
            let script = copy + "/scripts/draw-pictures"
            #expect(try await sandbox.start(script, [BuiltBinary.path]).end(within: 60).status == 0)
            #expect(try await sandbox.start(script, [BuiltBinary.path, "--check"]).end(within: 60).status == 0)
            let picture = copy + "/docs/pictures/answer.svg"
            let text = try String(contentsOfFile: picture, encoding: .utf8)
            try text.replacing("rect", with: "rekt").write(toFile: picture, atomically: true, encoding: .utf8)
            #expect(try await sandbox.start(script, [BuiltBinary.path, "--check"]).end(within: 60).status == 1)
        }
    }
}
