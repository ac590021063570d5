// SPDX-License-Identifier: Apache-2.0

import Foundation
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
        let process = Process()
        process.executableURL = tests.deletingLastPathComponent().appending(path: "render-fixture")
        process.arguments = [model, place.rawValue, file.path]
        process.environment = environment
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let answer = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        return try JSONDecoder().decode(Self.self, from: answer)
    }
}
