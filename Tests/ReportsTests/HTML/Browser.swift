// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport

/// A headless Chromium that opens one page, runs steps on it, and reports its observations.
struct Browser {
    /// The observations of a page.
    struct Seen: Decodable {
        var requests: [String]
        var messages: [String]
        /// The values of the steps' expressions; `nil` for other steps.
        var values: [Value?]
        var tree: [Node]
    }

    struct Node: Decodable {
        var role: String
        var name: String
    }

    enum Value: Decodable, Equatable {
        case text(String)
        case number(Double)
        case truth(Bool)
        case list([Value])
        case other

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let truth = try? container.decode(Bool.self) {
                self = .truth(truth)
            } else if let number = try? container.decode(Double.self) {
                self = .number(number)
            } else if let text = try? container.decode(String.self) {
                self = .text(text)
            } else {
                self = (try? container.decode([Value].self)).map { .list($0) } ?? .other
            }
        }
    }

    enum Step {
        case evaluate(String)
        case key(String, times: Int = 1)
        case move(String)
        case page(String, width: Int)

        /// The step as it is asked for; a page is written into a folder.
        fileprivate func document(in folder: URL) throws -> [String: Any] {
            switch self {
            case .evaluate(let expression): return ["evaluate": expression]
            case .key(let name, let times): return ["key": name, "count": times]
            case .move(let selector): return ["move": selector]
            case .page(let text, let width):
                let file = folder.appending(path: "\(UUID()).html")
                try text.write(to: file, atomically: true, encoding: .utf8)
                return ["open": file.path, "width": width]
            }
        }
    }

    struct Screen {
        var width = 1000
        var isDark = false
        var isPrint = false
        var runsScripts = true
    }

    /// Why there is nothing to see.
    struct Failure: Error, CustomStringConvertible {
        var description: String
    }

    private static let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent().path + "/browser.py"

    /// Opens a page.
    /// - Parameter pdf: whether it is printed, too; its bytes are the second value then.
    static func open(
        _ page: String, on screen: Screen = Screen(), tree: Bool = false, pdf: Bool = false, _ steps: [Step] = []
    ) throws -> (seen: Seen, pdf: Data?) {
        let folder = FileManager.default.temporaryDirectory.appending(path: "fetchbench-page-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "page.html")
        try page.write(to: file, atomically: true, encoding: .utf8)
        var asked: [String: Any] = [
            "path": file.path, "width": screen.width, "dark": screen.isDark, "print": screen.isPrint,
            "scripts": screen.runsScripts, "tree": tree, "steps": try steps.map { try $0.document(in: folder) },
        ]
        let printed = folder.appending(path: "page.pdf")
        if pdf { asked["pdf"] = printed.path }
        let output = try run(asked: JSONSerialization.data(withJSONObject: asked), in: folder.path)
        return (try JSONDecoder().decode(Seen.self, from: output), pdf ? try Data(contentsOf: printed) : nil)
    }

    private static func run(asked: Data, in folder: String) throws -> Data {
        let ended = try TestProcess.run("/usr/bin/python3", [script, "chromium", folder], input: Array(asked))
        guard ended.status == 0 else {
            let log = (try? String(contentsOfFile: folder + "/browser.log", encoding: .utf8)) ?? ""
            throw Failure(description: "the browser failed: " + "\(ended.complaint)\n\(log)".suffix(4000))
        }
        return Data(ended.output)
    }
}
