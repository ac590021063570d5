// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Measuring
import Runs
import Testing

final class AssetCacheTests {
    private let scratch: String

    init() throws {
        var template = Array((FileManager.default.temporaryDirectory.path + "/cache-folder-XXXXXX").utf8CString)
        let made = try #require(mkdtemp(&template))
        scratch = String(cString: made)
        for name in ["/home", "/temporary"] {
            try FileManager.default.createDirectory(atPath: scratch + name, withIntermediateDirectories: false)
        }
    }

    deinit { try? FileManager.default.removeItem(atPath: scratch) }

    private var temporary: String { scratch + "/temporary" }
    private var shared: String { "\(temporary)/fetchbench-cache-\(geteuid())" }

    private func find(
        named: String? = nil, home: String? = nil, user: UInt32 = geteuid()
    ) throws -> AssetCache {
        try AssetCache(named: named, home: home, temporaryDirectory: temporary, user: user)
    }

    @Test func isTheOneThatIsNamedWhateverItIs() throws {
        let folder = try find(named: "/nonexistent/caches", home: scratch + "/home")
        #expect(folder.path == "/nonexistent/caches/fetchbench" && folder.obstacle == nil)
    }

    @Test(arguments: [nil, ""] as [String?])
    func isInTheHomeWhereThereIsOne(named: String?) throws {
        let folder = try find(named: named, home: scratch + "/home")
        #expect(folder.path == scratch + "/home/.cache/fetchbench" && folder.obstacle == nil)
        #expect(access(folder.path, W_OK) == 0)
        #expect(try find(named: named, home: scratch + "/home") == folder, "a folder that is there is taken")
        #expect(try FileManager.default.contentsOfDirectory(atPath: temporary).isEmpty)
    }

    @Test(
        arguments: [
            (nil, "HOME is not set"), ("", "HOME is not set"), ("/nonexistent", "HOME is not an existing folder"),
            ("/dev/null", "HOME is not an existing folder"), ("/proc", "cannot create a cache in HOME"),
        ] as [(String?, String)])
    func isAPrivateOneWhereTheHomeIsOfNoUse(home: String?, obstacle: String) throws {
        let folder = try find(home: home)
        #expect(folder.obstacle?.hasPrefix(obstacle) == true, "\(folder.obstacle ?? "none")")
        #expect(folder.path == shared + "/fetchbench")
        let attributes = try FileManager.default.attributesOfItem(atPath: shared)
        #expect(attributes[.posixPermissions] as? Int == 0o700)
        #expect(attributes[.ownerAccountID] as? UInt32 == geteuid())
        #expect(try find(home: home) == folder, "what is this user's is taken again")
    }

    @Test func isNothingThatSomebodyElseMayHaveMade() throws {
        let manager = FileManager.default
        // A link, even to a folder of this user.
        try manager.createSymbolicLink(atPath: shared, withDestinationPath: scratch + "/home")
        #expect(throws: FetchBenchError.self) { try find() }
        #expect(try manager.contentsOfDirectory(atPath: scratch + "/home").isEmpty)
        try manager.removeItem(atPath: shared)
        // A file.
        try Data().write(to: URL(fileURLWithPath: shared))
        #expect(throws: FetchBenchError.self) { try find() }
        try manager.removeItem(atPath: shared)
        // A folder that others may write to.
        try manager.createDirectory(atPath: shared, withIntermediateDirectories: false)
        #expect(chmod(shared, 0o707) == 0)
        #expect(throws: FetchBenchError.self) { try find() }
        // A folder of another user: this one's, as another user sees it.
        let other = geteuid() + 1
        try manager.createDirectory(
            atPath: "\(temporary)/fetchbench-cache-\(other)", withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o700])
        let error = #expect(throws: FetchBenchError.self) { try find(user: other) }
        #expect(error?.message.contains("XDG_CACHE_HOME") == true)
    }
}

@Suite struct AssetNameTests {
    @Test func everyNameIsWhatItSays() {
        for name in AssetName.named { #expect(AssetName(parsing: name)?.text == name) }
        #expect(AssetName.named.count == 39 && AssetName.pictures.last == "gallery-36")
        for kind in ComputedKind.allCases {
            #expect(AssetName(parsing: kind.example)?.text == kind.example)
            #expect(AssetName(parsing: kind.prefix + "0")?.isEmpty == true)
        }
        #expect(AssetName(parsing: "1B")?.isEmpty == false && AssetName.gallery.isEmpty == false)
    }

    @Test func sizesAboveTheLargestAreInvalid() {
        #expect(AssetName(parsing: "1TiB")?.text == "1TiB" && AssetName(parsing: "1025GiB") == nil)
        #expect(AssetName(parsing: "text-1025GiB") == nil && AssetName(parsing: "text-text-1") == nil)
    }

    @Test func aComplaintNamesEveryForm() {
        let choices =
            "hero, hero-progressive, gallery, gallery-01 … gallery-36, a size up to 1TiB such as 64MiB, "
            + "text-64MiB, json-1MiB"
        #expect(AssetName.choices.joined(separator: ", ") == choices)
        #expect(AssetName.sizes == "64MiB, text-64MiB or json-1MiB")
        var words = PlanWords()
        for text in ["heron", "0B", "text-0", "json-0B"] {
            words[.assets] = [text]
            #expect(
                performing: { try PlanRequest(words, .fake) },
                throws: { "\($0)".hasPrefix("unknown asset '\(text)'.") && "\($0)".contains("Choices: \(choices)") })
        }
    }
}
