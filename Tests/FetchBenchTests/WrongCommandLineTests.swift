// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

extension Conduct {
    @Suite struct WrongCommandLines {
        static let lines: [(line: String, remedy: String)] = [
            ("https://user:UNGUESSABLE@127.0.0.1:9/x?token=UNGUESSABLE", "--url URL"),
            ("exec cat --input .", "--input: ."),
            ("frobnicate", "Choices: run,"),
            ("rnu", "'run'?"),
            ("help frobnicate", "Choices: run,"),
            ("exce true", "'exec'?"),
            ("run --mode dat", "'data'? See `fetchbench list modes`"),
            ("run --mode raw,strem", "'stream'?"),
            ("run --verify sha265", "'sha256'?"),
            ("list mods", "'modes'?"), ("compare a b --format junti", "'junit'?"),
            ("check --asset 64KiB --format xml", "openmetrics"),
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
            ("run --exec x=TOKEN=UNGUESSABLE'{url}", "not closed"),
            ("run --destination mars", "same, other"),
            ("run --unknown-flag", "run --help"),
            ("run extra", "run --help"),
            ("exec", "fetchbench exec 'sort file'"),
            ("exec {file}", "add {url}"),
            ("exec {url}", "fetchbench run --exec"),
            ("exec true --limit 200", "200MiB"), ("exec true --format slopes", "commands, html"),
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
            ("compare --base-program x", "one side is missing"),
            ("compare a b --mode data", "plan options"),
            ("compare --base-exec a --head-exec b --mode data", "--mode, --exec"),
            ("compare --base-exec '--token=UNGUESSABLE --head-exec b", "not closed"),
            ("compare --base-exec {file} --head-exec b", "add {url}"),
            ("compare --base-exec a --head-exec b --budget peek<=4MiB", "column 1"),
            ("compare --base-exec {url} --head-exec x", "both contain {url}"),
            ("explain --mode none", "does not fetch"),
            ("explain --format pprof --mode data", "--output FOLDER"),
            ("explain --against nosuch --mode data", "a run"),
            ("explain x --mode data", "a stored run"),
            ("explain --against x --format folded --mode data", "a difference"),
            ("report", "<run>"),
            ("report . --format pdf", "table, markdown"),
            ("answer --asset 16MiB", "list assets"),
            ("answer --url x", "http://"),
            ("behaviours --only nosuch", "behaviours --list"),
            ("behaviours --expect nosuch", "No such file"),
            ("costs --trials 0", "from 1 to 1000"),
            ("init --ci jenkins", "github, gitlab"),
            ("init --tarball x", "http or https"),
            ("init --repository=-x", "git clone"), ("list nosuch", "modes, renders"),
            ("serve --port 99999", "from 0 to 65535"),
            ("endpoint ./App --get /x", "add {port}"),
            ("endpoint ./App{port} --get x", "'GET x': expected METHOD /path"),
            ("endpoint ./App{port}", "--get, --post, --put"),
            ("endpoint ./App{port} --get /x --client hey", "got 2"),
            ("endpoint ./App{port} --client hey --concurrency 2", "omit --concurrency"),
            ("endpoint ./App{port} --client hey --body 1MiB", "omit --body"),
            ("endpoint ./App{port} --get /x --expect /nowhere", "--expect"),
            ("endpoint ./App{port} --get /x --post /y", "got 2"),
            ("endpoint ./App{port} --get /x --body 1MiB", "use POST or PUT"),
            ("endpoint ./App{port} --post /x --body many", "such as 64MiB"),
            ("endpoint ./App{port} --get /x --requests 0", "from 1 to 1000000"),
            ("endpoint ./App{port} --get /x --client-rate 5", "at least 1KiB"),
            ("endpoint ./App{port} --get /x --asset 1MiB", "fetches nothing"),
            ("endpoint --get /x", "no server is given"), ("run --server x=GET", "' : '"),
            ("run --mode raw --client-rate 1MiB", "fetchbench endpoint"),
            ("serve --rate x", "60MiB"),
            ("calibrate --pairs 1", "from 4 to 1000"),
            ("calibrate --write nosuch.yml", "Give a suite file"),
            ("check --resume x --output y", "cannot be combined with --output"),
            ("calibrate --resume x --output y", "cannot be combined with --output"),
            ("compare --resume x --base-exec true --head-exec true --label y", "cannot be combined with --label"),
            ("run --resume x --trials 3", "only with --url"),
            ("run --mode raw --scheme https", "raw does not support https"),
            ("run --mode sync-string --asset hero", "needs text"),
            ("run --mode curl-stream --concurrency 5 --max-connections 2", "--max-connections does not apply"),
            ("run --mode raw --transfer gzip", "does not decode gzip"),
            ("run --mode upload --start cold --asset 64KiB", "no cold start"),
            ("run --mode data --render stream-thumbnail", "holds the body in memory"),
            ("run --asset hero --mode data --render json", "json-1MiB"),
            ("run --scenario concurrency:5x2 --mode raw --asset 16KiB --render none", "one body at a time"),
            ("run --url https://127.0.0.1:1/ --mode raw", "sync-data,"),
            ("run --url https://127.0.0.1:1/ --cacert /nonexistent", "expected a PEM file"),
            ("run --url https://127.0.0.1:1/ --cacert /etc/passwd", "has no certificate"),
            ("run --asset 1MiB --cacert a.pem", "needs an https --url"),
            ("run --max-pixels 3000MP", "200MP"),
            ("run --max-decode-memory 5", "5MiB"),
            ("run --max-decode-memory 2TiB", "1MiB to 1TiB"),
            ("run --scenario repeat:0", "NAME:COUNT"),
            ("run --asset hero --mode stream --scenario gallery --render none", "a set of pictures"),
            ("exec true --container-limit 900TiB", "limit nothing"),
            ("run --url http://127.0.0.1:1/ --mode upload", "omit --url"),
            ("run --plan x --mode raw", "--plan"), ("exec true --shard 1/2", "--output"),
            ("merge nowhere/* --output x", "nowhere/*"), ("run --shard 9/8", "expected 1/8 to 8/8"),
            ("run --shard 1/2 --resume x", "omit --shard"),
            ("run --mode raw --budget peek<=4MiB", "column 1: unknown metric 'peek'"),
            ("check --no-baseline --asset 64KiB --mode raw --render none", "--no-baseline"),
            ("answer --mode raw", "Unknown option '--mode'"),
            ("behaviours --report caches --list", "cannot be combined"),
            ("behaviours --report share", "choose a behaviour of URLSession"),
            ("behaviours --expect /dev/null", "not a behaviours.json"),
            ("behaviours --jobs 0", "from 1 to 64"),
            ("calibrate --resamples 9", "from 100 to 100000"),
            ("init --repository a --tarball https://127.0.0.1/b", "cannot be combined"),
            ("survive true --container-limit 64MiB", "omit --container-limit"),
            ("survive --prepare true", "needs a command"),
            ("exec true --container-limit 512KiB", "such as 64MiB"),
            ("exec true -L n", "NAME=VALUE"),
            ("explain --mode data --trials 3", "omit --trials"),
            ("explain --mode data --format json,table", "--output FOLDER"),
            ("compare --base /bin/true --head /bin/true --plant much", "start=1MiB"),
            ("compare --base /bin/true --head /etc/passwd", "--base-exec"),
            ("try", "--program <path>"),
            ("try --program x --trials 0", "from 1 to 1000"),
            ("merge", "<run>"),
            ("plan --shard 1/2", "Unknown option"),
            ("run --verison", "Unknown option"),
        ]

        /// The first words of which no subcommand makes anything.
        private static let commandless: Set = ["frobnicate", "rnu", "help", "exce"]

        @Test(arguments: lines) func isAnsweredWithTheRemedy(line: String, remedy: String) async throws {
            let sandbox = try Sandbox("wrong")
            let words = line.split(separator: " ").map(String.init)
            let ended = try await sandbox.fetchbench(words, within: 60)
            #expect(ended.status == 64 && ended.output.isEmpty)
            // Assets are made before some plans are refused; that this is announced after a second is no part of the error.
            let lines = ended.complaint.split(separator: "\n")
            let announced = lines.prefix { $0.hasPrefix("fetchbench: preparing the assets, 0:01 elapsed") }
            #expect(announced.count <= 1)
            let answer = lines.dropFirst(announced.count).map(String.init)
            #expect((2...3).contains(answer.count) && answer[0].hasPrefix("error: "), "\(ended.complaint)")
            #expect(ended.complaint.contains(remedy), "\(ended.complaint)")
            #expect(!ended.complaint.contains("UNGUESSABLE"), "a log would keep it")
            let command = Self.commandless.contains(words[0]) || words[0].contains(":") ? "" : words[0] + " "
            #expect(answer.last == "See 'fetchbench \(command)--help'.")
            #expect(sandbox.runFolders().isEmpty)
        }
    }

    /// Certificate authorities of a foreign URL, the limits of decoding, and what is said of a failure.
    @Suite struct LimitFlags {
        @Test func everyClientTrustsTheNamedAuthority() async throws {
            let sandbox = try Sandbox("cacert")
            let origin = try await ServeProcess(sandbox, "--tls", "authority.pem")
            let url = try #require(origin.secureURL) + "/bytes/64KiB"
            let words = [
                "run", "--url", url, "--mode", "data,ahc-stream,nio-stream,curl-stream", "--exec",
                "curl=curl -s -o {file} {url}", "--render", "none", "--trials", "1", "--quiet",
            ]
            try await sandbox.fetchbench(words + ["--cacert", "authority.pem"], status: 0)
            let run = try sandbox.onlyRun()
            #expect(try run.trials().count { $0.outcome.kind == "completed" && $0.case.asset == "url" } == 5)
            #expect(try !run.text(of: "run.json").contains(sandbox.work), "the folder is the user's")
        }

        /// A progressive photo of 24 megapixels is decoded through an array of its coefficients.
        @Test(arguments: [
            ("hero", "--max-pixels", "1MP", "the limit is 1000000"),
            ("hero-progressive", "--max-decode-memory", "8MiB", "--max-decode-memory"),
        ])
        func picturesAboveALimitAreNotDecoded(asset: String, flag: String, limit: String, reason: String) async throws {
            let sandbox = try Sandbox("pixels")
            let plan = ["--asset", asset, "--mode", "raw", "--render", "imageview", flag, limit]
            let details = try await sandbox.rows(plan, status: 2).compactMap { $0["outcome_detail"] }
            #expect(details.contains { $0.contains(reason) }, "\(details)")
        }

        @Test func aTimeOutSaysWhatTheOriginHadSent() async throws {
            let sandbox = try Sandbox("slow")
            try await sandbox.fetchbench(
                "run", "--asset", "64MiB", "--mode", "raw", "--render", "none", "--rate", "6MiB", "--timeout", "5",
                "--trials", "1", "--quiet", status: 2)
            let detail = try #require(sandbox.onlyRun().trials().first { $0.outcome.kind == "timed_out" }).outcome
                .detail
            let sent = try #require(detail.firstMatch(of: /had sent ([0-9]+) MiB of 64\.0 MiB/)?.1, "\(detail)")
            #expect((4...40).contains(try #require(Int(sent))) && detail.contains("--timeout"), "\(detail)")
        }

        @Test(arguments: [
            ["run", "--mode", "nonsense", "--format", "json"], ["exec", "--format=json", "/nonexistent"],
        ])
        func errorsAreJSONWhereTheAnswerIs(words: [String]) async throws {
            let ended = try await Sandbox("json").fetchbench(
                words.first == "run" ? ["answer", "--asset", "nonsense"] + words[3...] : words)
            #expect(ended.status != 0)
            for line in ended.complaint.split(separator: "\n") where line.contains("rror") {
                let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: String]
                #expect(object?["error"]?.isEmpty == false, "\(line)")
            }
        }
    }
}
