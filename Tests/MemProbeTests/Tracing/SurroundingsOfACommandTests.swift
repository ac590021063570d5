// SPDX-License-Identifier: Apache-2.0

import MemProbe
import TestSupport
import Testing

/// What a command is given: exactly what was asked for.
@Suite(.serialized, .ownThreads) struct SurroundingsOfACommandTests {
    @Test(arguments: ["exitStops", "polled"])
    func itHasThreeDescriptors(method: String) throws {
        var supervisor = Supervisor(fixture: "descriptors")
        supervisor.method = method
        #expect(try supervisor.run().values("descriptors") == ["[0, 1, 2]"])
    }

    @Test func itsSignalsAreTheDefaults() throws {
        // The supervisor ignores SIGCHLD, and the runtime of its language ignores others.
        let outcome = try Supervisor(fixture: "world").run()
        #expect(outcome.values("blocked") == ["[]"])
        #expect(outcome.values("ignored") == ["[]"])
    }

    @Test func itsWorldIsWhatWasAskedFor() throws {
        var supervisor = Supervisor(fixture: "world")
        supervisor.arguments = ["another-name", "world"]
        supervisor.environment = ["A=1", "B=two words"]
        supervisor.folder = "/usr"
        let outcome = try supervisor.run()
        #expect(outcome.values("arguments") == [#"["another-name", "world"]"#])
        #expect(outcome.values("variable") == ["A=1", "B=two words"])
        #expect(outcome.values("folder") == ["/usr"])
        #expect(outcome.values("leads-group") == ["true"])
    }

    @Test(arguments: ["exitStops", "polled"])
    func jemallocIsSeen(method: String) throws {
        var supervisor = Supervisor(fixture: "allocate", "1", "300")
        supervisor.method = method
        #expect(try supervisor.trace().processes.map(\.mapsJemalloc) == [false])
        supervisor.environment.append("LD_PRELOAD=libjemalloc.so.2")
        #expect(try supervisor.trace().processes.map(\.mapsJemalloc) == [true])
    }
}
