// SPDX-License-Identifier: Apache-2.0

import Measuring
import Runs
import Testing

struct SuiteFileTests {
    private static let whole = """
        name: default
        description: what fetching costs
        assets: [hero, 64MiB]
        modes:
          - data
          - download
        renders: [none, imageview]
        allocators: [glibc, jemalloc]
        concurrency: [1, 5]
        max_connections: 3
        consumer_delays: [0, 200us]
        sessions: [bare, ephemeral, default]
        transfers: [length, gzip]
        schemes: [http, https]
        trials: 10
        seed: 18446744073709551615
        rate: 60MiB
        timeout: 2.5
        memory_limit: 2GiB
        verify: sha256
        exec: ["get=curl {url}", "sort=sort --parallel={threads} x, y"]
        parameters: ["threads=1,2"]
        """

    @Test func everyKeyIsRead() throws {
        let suite = try SuiteFile(parsing: Self.whole, fileName: "default.yml")
        #expect(suite.name == "default")
        #expect(suite.description == "what fetching costs")
        #expect(suite.lists[.assets] == ["hero", "64MiB"])
        #expect(suite.lists[.modes] == ["data", "download"])
        #expect(suite.lists[.renders] == ["none", "imageview"])
        #expect(suite.lists[.allocators] == ["glibc", "jemalloc"])
        #expect(suite.conditions["concurrency"] == ["1", "5"])
        #expect(suite.settings["max_connections"] == "3")
        #expect(suite.conditions["consumer_delays"] == ["0", "200us"])
        #expect(suite.conditions["sessions"] == ["bare", "ephemeral", "default"])
        #expect(suite.conditions["transfers"] == ["length", "gzip"])
        #expect(suite.conditions["schemes"] == ["http", "https"])
        #expect(suite.settings["trials"] == "10")
        #expect(suite.settings["seed"] == "18446744073709551615")
        #expect(suite.settings["rate"] == "60MiB")
        #expect(suite.settings["timeout"] == "2.5")
        #expect(suite.settings["memory_limit"] == "2GiB")
        #expect(suite.settings["verify"] == "sha256")
        #expect(suite.lists[.exec] == ["get=curl {url}", "sort=sort --parallel={threads} x, y"])
        #expect(suite.lists[.parameters] == ["threads=1,2"])
    }

    @Test func keysOmittedFromASuiteAreAbsent() throws {
        let suite = try SuiteFile(parsing: "modes: raw\n", fileName: "small.yml")
        #expect(suite.name == "small.yml")
        #expect(suite.lists[.modes] == ["raw"])
        #expect(suite.settings["trials"] == nil)
        #expect(suite.settings["seed"] == nil)
        #expect(suite.lists[.assets] == nil)
        #expect(suite.settings["timeout"] == nil)
        #expect(suite.settings["memory_limit"] == nil)
    }

    @Test func aWordThatIsThereTwiceCountsOnce() throws {
        let suite = try SuiteFile(parsing: "assets: [hero, 1MiB, hero]\nmodes: [data, data]\n", fileName: "s.yml")
        #expect(suite.lists[.assets] == ["hero", "1MiB"])
        #expect(suite.lists[.modes] == ["data"])
    }

    @Test func anUnknownKeyNamesItsLineAndTheNearestOne() {
        let choices = SuiteFile.keys.joined(separator: ", ")
        #expect(choices.hasPrefix("name, description, assets, modes, exec, servers, parameters, programs, renders"))
        #expect(
            reason(of: "name: x\nmode: [data]\n")
                == "line 2: unknown key 'mode'. Did you mean 'modes'? Choices: \(choices).")
    }

    @Test(arguments: [
        ("trials: many\n", "line 1: trials must be a number, not 'many'"),
        ("max_connections: few\n", "line 1: max_connections must be a number, not 'few'"),
        ("trials: 2.5\n", "line 1: trials must be a number, not '2.5'"),
        ("name: x\nseed: -1\n", "line 2: seed must be a number, not '-1'"),
        ("name: x\n\ntimeout: soon\n", "line 3: timeout must be a number, not 'soon'"),
        ("trials: [1, 2]\n", "line 1: trials must be a single value"),
        ("name: {a: b}\n", "line 1: name must be a single value"),
        ("rate:\n", "line 1: rate must be a single value"),
        ("modes: {data: 1}\n", "line 1: modes must be a list of words"),
        ("modes: []\n", "line 1: modes must be a list of words"),
        ("modes: [data, [raw]]\n", "line 1: modes must be a list of words"),
        ("name: x\nmodes:\n", "line 2: modes must be a list of words"),
        ("modes:\n  - data\n  -\n", "line 2: modes must be a list of words"),
    ])
    func aWrongTypeNamesItsLine(yaml: String, complaint: String) {
        #expect(reason(of: yaml) == complaint)
    }

    @Test(arguments: ["modes: [data", "\tname: x", "a: b: c", "name: x\nname: y\n", "a: *x", "---\n---\n", "a: \u{1}"])
    func invalidYAMLIsReported(yaml: String) {
        #expect(reason(of: yaml)?.hasPrefix("not YAML: ") == true)
    }

    @Test(arguments: ["", "\n\n", "# a comment\n", "just words", "- data\n- raw\n", "42"])
    func suitesThatAreNotMappingsAreReported(yaml: String) {
        #expect(reason(of: yaml) == "expected a mapping of keys to values")
    }

    private func reason(of yaml: String) -> String? {
        do {
            _ = try SuiteFile(parsing: yaml, fileName: "s.yml")
            return nil
        } catch {
            return "\(error)".hasPrefix("suite s.yml: ") ? String("\(error)".dropFirst(13)) : "another error: \(error)"
        }
    }
}

struct SuggestionTests {
    private static let modes = ["none", "data", "download", "stream", "raw"]

    @Test(arguments: [
        ("dat", "data"), ("DATA", "data"), ("donwload", "download"), ("streams", "stream"), ("rwa", "raw"),
        ("downlaod-task", "download"),
    ])
    func theNearestWordIsFound(word: String, nearest: String) {
        #expect(Suggestion.nearest(to: word, among: Self.modes) == nearest)
    }

    @Test(arguments: ["xylophone", "qqqqqqq"])
    func aWordThatIsFarFromAllHasNoSuggestion(word: String) {
        #expect(Suggestion.nearest(to: word, among: Self.modes) == nil)
        #expect(Suggestion.nearest(to: word, among: []) == nil)
    }

    @Test func aComplaintNamesTheWordTheNearestAndAllChoices() {
        #expect(
            Suggestion.complaint(about: "dowload", of: "mode", choices: Self.modes)
                == "unknown mode 'dowload'. Did you mean 'download'? Choices: none, data, download, stream, raw.")
        #expect(
            Suggestion.complaint(about: "xylophone", of: "mode", choices: ["raw"])
                == "unknown mode 'xylophone'. Choices: raw.")
    }
}
