// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

/// Runs `render-fixture`, which the package builds beside these tests.
struct RenderFixture: Decodable {
    /// Where the body lies before it is rendered.
    enum Place: String {
        case heap, file, pieces
    }

    var failure: String?
    var detail: String?
    var width: Int?
    var height: Int?
    var note: String?
    var bitmapBytes: Int?
    var anonymousGrowth: Int
    var peakResidentGrowth: Int
    var anonymousGrowthAfterRelease: Int
    var leakedBitmapBytes: Int

    /// Renders a picture in a fresh process that sees this environment and nothing else.
    static func run(
        _ model: String, _ place: Place, _ picture: [UInt8], environment: [String: String]
    ) throws -> RenderFixture {
        let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).picture")
        try Data(picture).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let tests = URL(fileURLWithPath: try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
        let fixture = tests.deletingLastPathComponent().appending(path: "render-fixture").path
        let ended = try TestProcess.run(fixture, [model, place.rawValue, file.path], environment: environment)
        #expect(ended.status == 0, "\(ended.complaint)")
        return try JSONDecoder().decode(Self.self, from: Data(ended.output))
    }
}
