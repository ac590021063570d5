// SPDX-License-Identifier: Apache-2.0

import Testing

extension Conduct {
    /// Each wrong command line gets at most three lines that name the remedy, and nothing runs.
    @Suite struct WrongCommandLines {
        static let lines: [(line: String, remedy: String)] = [
            ("http://127.0.0.1:9/x", "--url URL"),
            ("frobnicate", "Choices: run,"),
            ("rnu", "'run'?"),
            ("help frobnicate", "Choices: run,"),
            ("exce true", "'exec'?"),
            ("run --mode dat", "'data'? See `fetchbench list modes`"),
            ("run --asset 16", "16MiB"),
            ("run --asset hreo", "'hero'?"),
            ("run --asset 16MB", "such as 64MiB"),
            ("run --render imagveiw", "'imageview'?"),
            ("run --allocator jemaloc", "'jemalloc'?"),
            ("run --trials 0", "from 1 to 10000"),
            ("run --trials ten", "expected a number"),
            ("run --rate fast", "60MiB"),
            ("run --rate 60", "60MiB"),
            ("run --latency 80", "80ms"),
            ("run --latency 1h", "80ms"),
            ("run --profile 5g", "3g, lte, wifi"),
            ("run --scheme ftp", "http, https"),
            ("run --http 2", "--scheme https"),
            ("run --http 3", "1.1, 2"),
            ("run --session private", "bare, ephemeral"),
            ("run --start hot", "warm, cold"),
            ("run --display now", "verified, at-once"),
            ("run --transfer brotli", "length, chunked, gzip"),
            ("run --concurrency 0", "from 1 to 1000"),
            ("run --consumer-delay 5", "200us"),
            ("run --view 10", "390x844@3"),
            ("run --scenario repaet", "'repeat'?"),
            ("run --scenario repeat:keep-46", "'keep-64'?"),
            ("run --loader kingfsher --scenario gallery --mode stream --asset gallery", "'kingfisher'?"),
            ("run --memory-limit 4", "4MiB"),
            ("run --memory-limit 1KiB", "at least 1MiB"),
            ("run --timeout 0", "from 0.1"),
            ("run --verify md5", "sha256, length"),
            ("run --seed x", "expected a number"),
            ("run --suite nosuch", "fetchbench list suites"),
            ("run --suite ./nosuch.yml", "fetchbench list suites"),
            ("run --output=", "<folder>"),
            ("run --resume x --output y", "cannot be combined with --output"),
            ("run --url host/x", "http://"),
            ("run --url ftp://host/x", "http or https"),
            ("run --url http://", "host"),
            ("run --url http://h:99999/", "1 to 65535"),
            ("run --url http://h/a%zz", "%25"),
            ("run --url http://127.0.0.1:9/x --asset hero", "--asset"),
            ("run --header X:1", "need --url"),
            ("run --exec x", "NAME=command"),
            ("run --exec x={fil}{url}", "{file}?"),
            ("run --exec x={URL}{url}", "{url}?"),
            ("run --exec x='{url}", "not closed"),
            ("run --destination mars", "same, other"),
            ("run --unknown-flag", "run --help"),
            ("run extra", "run --help"),
            ("exec", "fetchbench exec 'sort file'"),
            ("exec {file}", "add {url}"),
            ("exec {url}", "fetchbench run --exec"),
            ("exec true --limit 200", "200MiB"),
            ("exec true --limit x", "200MiB"),
            ("exec true --trials 0", "from 1 to"),
            ("exec true --format tabel", "'table'?"),
            ("exec true --name a --name b", "expected 1"),
            ("exec true --reference b", "Choices: true"),
            ("exec true --shell sh --no-shell", "--no-shell"),
            ("exec true --input nosuch", "No such file"),
            ("exec true --method traced", "automatic, polled"),
            ("check --suite nosuch", "fetchbench list suites"),
            ("check --no-baseline --update", "--update"),
            ("check --reset-anchor", "needs --update"),
            ("compare", "--base and --head"),
            ("compare a", "expected two runs"),
            ("compare a b c", "expected two runs"),
            ("compare --base /bin/true", "--head"),
            ("compare --base /bin/true --head /bin/true", "--base-exec"),
            ("compare --base-exec a", "--head-exec"),
            ("compare --base-exec {url} --head-exec x", "both contain {url}"),
            ("explain --mode none", "does not fetch"),
            ("explain --format pprof --mode data", "--output FOLDER"),
            ("explain --against nosuch --mode data", "a run"),
            ("report", "<run>"),
            ("report . --format pdf", "table, markdown"),
            ("answer --asset 16MiB", "list assets"),
            ("answer --url x", "http://"),
            ("behaviours --only nosuch", "behaviours --list"),
            ("behaviours --expect nosuch", "No such file"),
            ("costs --trials 0", "from 1 to 1000"),
            ("init --ci jenkins", "github, gitlab"),
            ("init --tarball x", "http or https"),
            ("list nosuch", "modes, renders"),
            ("serve --port 99999", "from 0 to 65535"),
            ("serve --rate x", "60MiB"),
            ("calibrate --pairs 1", "from 4 to 1000"),
            ("--verison", "Unknown option"),
        ]

        @Test(arguments: lines) func isAnsweredWithTheRemedy(line: String, remedy: String) async throws {
            let sandbox = try Sandbox("wrong")
            let ended = try await sandbox.fetchbench(line.split(separator: " ").map(String.init), within: 60)
            #expect(ended.status == 64 && ended.output.isEmpty)
            // Assets are made before some plans are refused; that this is announced after a second is no part of the error.
            let lines = ended.complaint.split(separator: "\n")
            let announced = lines.prefix { $0.hasPrefix("fetchbench: preparing the assets, 0:01 elapsed") }
            #expect(announced.count <= 1)
            let answer = lines.dropFirst(announced.count).map(String.init)
            #expect((2...3).contains(answer.count) && answer[0].hasPrefix("error: "), "\(ended.complaint)")
            #expect(ended.complaint.contains(remedy), "\(ended.complaint)")
            #expect(answer.last?.hasSuffix("--help'.") == true && sandbox.runFolders().isEmpty)
        }
    }
}
