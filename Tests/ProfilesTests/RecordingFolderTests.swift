// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Profiles
import TestSupport
import Testing
import Texts

/// The folder that a recorded program may write to, too.
struct RecordingFolderTests {
    /// A sparse file takes no room, and reading it as a whole would take all of its size.
    @Test func aFileThatNoRecorderWritesIsNotRead() throws {
        let place = FileManager.default.temporaryDirectory.appending(path: "recordings-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: place) }
        let file = open(place + "/1-1.peak", O_CREAT | O_WRONLY | O_CLOEXEC, 0o600)
        defer { close(file) }
        try #require(ftruncate(file, 300 << 20) == 0 && mkfifo(place + "/2-1.peak", 0o600) == 0)
        #expect(throws: FetchBenchError("2-1.peak cannot be read")) { try RecordingFolder(path: place).entries() }
    }
}

struct FunctionNameTests {
    @Test(arguments: [
        ("malloc", "malloc", "malloc"), ("__CFDataGrow", "__CFDataGrow", "__CFDataGrow"), ("", "", ""),
        ("Fixture.Decoder.decode(Foundation.Data) throws -> [Swift.UInt8]", "decode", "decode(_:)"),
        ("decode(_:)", "decode", "decode(_:)"), ("run()", "run", "run()"),
        (
            "Foundation.Data.init(bytes: Swift.UnsafeRawPointer, count: Swift.Int) -> Foundation.Data", "Data.init",
            "Data.init(bytes:count:)"
        ),
        (
            "static Fixture.Loader.load<A>(from: Swift.Dictionary<A, (Swift.Int, Swift.Int)>, then: (A) -> ()) -> ()",
            "load", "load(from:then:)"
        ),
        (
            "closure #1 (Swift.Int) -> () in closure #2 () -> () in Fixture.run(times: Swift.Int) -> ()",
            "closure in run", "closure in run(times:)"
        ),
        ("Fixture.Cache.body.getter : Swift.Int", "body.getter", "body.getter"),
        ("(extension in Fixture):Swift.Array.grow() -> ()", "grow", "grow()"),
        ("Fixture.(Hidden in _0A1B2C).run(by: Swift.Int) -> ()", "run", "run(by:)"),
        ("helper #1 (n: Swift.Int) -> () in Fixture.run() -> ()", "helper", "helper(n:)"),
        ("operator new(unsigned long)", "operator new", "operator new(…)"),
        ("std::vector<int, std::allocator<int> >::push_back(int const&)", "push_back", "push_back(…)"),
        ("void (anonymous namespace)::fill<char>(char*)", "fill", "fill(…)"),
        ("libcurl.so.4+0x1234", "libcurl.so.4", "libcurl.so.4+0x1234"),
        ("readFile[abi:cxx11]()", "readFile", "readFile()"), ("dlopen@@GLIBC_2.34", "dlopen", "dlopen"),
        ("Shop::operator()(int) const", "operator()", "operator()(…)"),
        ("swap(operator: Int) -> ()", "swap", "swap(operator:)"),
        ("std::operator<< <char>(std::ostream&, char)", "operator<<", "operator<<(…)"),
        ("Shop::operator bool() const", "operator bool", "operator bool()"),
        ("rs::main::{{closure}}", "closure in main", "closure in main"), ("<rs::Cache<u64>>::fill", "fill", "fill"),
    ])
    func isSaidInShortAndAsItIsCalled(full: String, short: String, labelled: String) {
        #expect(FunctionName(full).short == short)
        #expect(FunctionName(full).labelled == labelled)
    }

    @Test func isTheSameInTwoBuilds() {
        let name = FunctionName("Fixture.run() -> ()").identity(in: "program")
        #expect(FunctionName("specialized Fixture.run() -> ()").identity(in: "program") == name)
        #expect(FunctionName("Fixture.walk() -> ()").identity(in: "program") != name)
        let unnamed = FunctionName("libz.so+0x12").identity(in: "libz.so")
        #expect(FunctionName("libz.so+0x40").identity(in: "libz.so") == unnamed)
        #expect(FunctionName("libz.so+0x40").identity(in: "other.so") != unnamed)
    }
}
