// SPDX-License-Identifier: Apache-2.0

import Foundation
import Measuring
import Runs
import Testing

struct AllocatorArmTests {
    @Test(arguments: [
        (AllocatorArm.glibc, [:]),
        (.glibcPinned, ["MALLOC_MMAP_THRESHOLD_": "131072"]),
        (.jemalloc, ["LD_PRELOAD": "libjemalloc.so.2"]),
        (.jemallocTight, ["LD_PRELOAD": "libjemalloc.so.2", "MALLOC_CONF": "narenas:1,dirty_decay_ms:0"]), (.own, [:]),
    ])
    func eachArmSetsItsOwnVariablesAlone(arm: AllocatorArm, variables: [String: String]) {
        #expect(arm.environment == variables)
    }

    @Test func anAllocatorHasToNameItself() {
        let named = ["glibc", "jemalloc", "go"].map { name in AllocatorArm.allCases.filter { $0.isNamed(name) } }
        #expect(named == [[.glibc, .glibcPinned], [.jemalloc, .jemallocTight], [.own]])
    }

    @Test func theWordsOfTheCommandLineAreThoseOfTheColumns() {
        #expect(
            AllocatorArm.allCases.map(\.rawValue) == ["glibc", "glibc-pinned", "jemalloc", "jemalloc-tight", "own"])
        #expect(AllocatorArm.allCases.allSatisfy { !$0.summary.isEmpty })
    }
}

struct WorldBuilderTests {
    private static let user = [
        "HOME": "/home/somebody", "PATH": "/bin", "LD_PRELOAD": "libevil.so", "MALLOC_CONF": "prof:true",
        "MALLOC_ARENA_MAX": "1", "GLIBC_TUNABLES": "glibc.malloc.arena_max=1", "LANG": "de_DE.UTF-8",
        "SWIFT_BACKTRACE": "enable=yes", "TMPDIR": "/somewhere/else", "AWS_SECRET_ACCESS_KEY": "hunter2",
        "http_proxy": "http://proxy:3128",
    ]

    @Test(arguments: AllocatorArm.allCases)
    func nothingOfTheUsersShellReachesATrial(allocator: AllocatorArm) {
        let variables = TrialVariables(environment: Self.user, fixed: ["JSIMD_FORCENONE": "0"])
        var expected = allocator.environment
        expected["JSIMD_FORCENONE"] = "0"
        for name in ["TMPDIR", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME"] {
            expected[name] = "/trials/t000001"
        }
        expected["LC_ALL"] = "C"
        expected["SWIFT_BACKTRACE"] = "enable=no"
        #expect(variables.environment(for: allocator, directory: "/trials/t000001") == expected)
    }

    @Test func aCommandKeepsItsFilesWhereItAlwaysDoes() {
        let environment = TrialVariables(environment: Self.user, fixed: [:])
            .environment(for: .glibc, directory: "/t", isCommand: true)
        #expect(environment == ["PATH": "/bin", "TMPDIR": "/t", "LC_ALL": "C", "SWIFT_BACKTRACE": "enable=no"])
    }

    @Test func theSizeDoesNotDependOnTheUsersEnvironment() {
        let small = TrialVariables(environment: [:], fixed: [:])
        let large = TrialVariables(
            environment: Self.user.merging(["LS_COLORS": String(repeating: "x", count: 32 * 1024)]) { $1 }, fixed: [:])
        for allocator in AllocatorArm.allCases {
            #expect(
                small.environment(for: allocator, directory: "/t") == large.environment(for: allocator, directory: "/t")
            )
        }
    }

    @Test func placesOfLibrariesAndCertificatesAreKept() {
        let named = Dictionary(uniqueKeysWithValues: TrialVariables.inheritedNames.map { ($0, "/opt/\($0)") })
        let environment = TrialVariables(environment: named, fixed: [:]).environment(for: .glibc, directory: "/t")
        #expect(environment.filter { named.keys.contains($0.key) } == named)
        #expect(environment.count == named.count + 6)
    }

    @Test func theAllocatorsOwnVariablesWinOverFixedOnes() {
        let variables = TrialVariables(environment: [:], fixed: ["LD_PRELOAD": "other.so"])
        #expect(variables.environment(for: .jemalloc, directory: "/t")["LD_PRELOAD"] == "libjemalloc.so.2")
    }

    @Test func theAllocatorThatWasPackedIsNamedByItsPath() throws {
        let folder = FileManager.default.temporaryDirectory.path + "/packed-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        func preloaded(_ folder: String, _ allocator: AllocatorArm) -> String? {
            TrialVariables(environment: [:], fixed: [:], libraryFolder: folder)
                .environment(for: allocator, directory: "/t")["LD_PRELOAD"]
        }
        #expect(preloaded(folder, .jemalloc) == "libjemalloc.so.2", "where there is none, the system's")
        try Data().write(to: URL(fileURLWithPath: folder + "/libjemalloc.so.2"))
        #expect(preloaded(folder, .jemallocTight) == folder + "/libjemalloc.so.2")
        #expect(preloaded(folder, .glibc) == nil)
        // A path that LD_PRELOAD would take apart.
        try FileManager.default.createDirectory(atPath: folder + "/a b", withIntermediateDirectories: true)
        try Data().write(to: URL(fileURLWithPath: folder + "/a b/libjemalloc.so.2"))
        #expect(preloaded(folder + "/a b", .jemalloc) == "libjemalloc.so.2")
    }
}
