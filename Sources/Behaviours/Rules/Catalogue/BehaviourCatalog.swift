// SPDX-License-Identifier: Apache-2.0

import MemProbe
import Origin
import Texts

/// The promises that are tried.
///
/// To add one, write a probe in its group's file under `Behaviours/Probes`, which calls the API and judges nothing; a
/// ``Behaviour`` of the same name in the group's file here, which judges by what the origin, the kernel or else the
/// caller saw, and names the document that promises it; and in the tests two pieces of evidence, one that holds and one that does not: a test demands them.
/// A behaviour of URLSession with a flaw needs a ``MinimalProgram``, too, which shows the fault in a bug report.
package enum BehaviourCatalog {
    package static let all: [Behaviour] = [
        backPressure, resume, timeouts, connections, cancel, delivery, delegates, http, combine, platform,
        proxies, configurations, sessions, urlTasks, lengths, customProtocols, clientDefaults,
        publishers, publisherFailures, taskTrees, lostConnections, challenges,
        answerForms, tls, costs,
    ].flatMap(\.self)

    package static let hidden: [Behaviour] = [
        Behaviour(
            "hang", path: "the harness", promise: "A child that hangs is killed.", documented: harness, seconds: 2,
            observe: ended),
        Behaviour(
            "trap", path: "the harness", promise: "A child that traps is noticed.", documented: harness, seconds: 10,
            observe: ended),
        // The harness itself waits four times 0.7 s, which does not count.
        Behaviour(
            "settle", path: "the harness", promise: "A child that waits for the harness is not killed.",
            documented: harness, seconds: 2,
            silenceAnswers: true
        ) { evidence in
            .decide(evidence.marks.count == 4, "\(evidence.marks.count) of 4 marks were read")
        },
        Behaviour(
            "give-up", path: "the harness", promise: "A child that gives up is noticed.", documented: harness,
            seconds: 10, observe: ended),
    ]

    private static let harness = Documentation("the harness", link: "CONTRIBUTING.md")

    private static func ended(_ evidence: Evidence) -> Observation { Observation(.holds, "it ended") }
}

package enum APIName {
    static let data = "URLSession data task"
    static let dataDelegate = "URLSession data task with a delegate"
    static let download = "URLSession download task"
    static let async = "URLSession async functions"
    static let session = "URLSession configuration"
    static let platform = "URLSession on this platform"
    static let client = "async-http-client"
    static let combine = "OpenCombine on URLSession"
    static let nio = "SwiftNIO"
    static let curl = "libcurl"
    static let socket = "POSIX socket"
    static let main = "Swift program with an async main"
    static let tasks = "Swift task group on URLSession"

    /// The names of the libraries that are not part of the toolchain.
    package static let packages = [client, combine, nio, curl, socket]

    static func library(of path: String) -> String {
        path == combine ? "OpenCombine" : packages.contains(path) ? path : "URLSession"
    }
}

package enum Expected {
    package static func sha256(bytes: Int, seed: UInt64 = 0) -> String? {
        (try? GeneratedBytes(byteCount: bytes, seed: seed)).flatMap { try? $0.sha256() }
    }

    package static func matches(_ file: SeenFile?, bytes: Int, seed: UInt64 = 0) -> Bool {
        guard let file, file.bytes == bytes, let hash = sha256(bytes: bytes, seed: seed) else { return false }
        return file.sha256 == hash
    }
}

enum ObservationText {
    static func mebibytes(_ bytes: Int) -> String { ByteText.mebibytes(ByteCount(bytes)) }

    /// Returns seconds with one digit, or `never` for a client that did not leave.
    static func seconds(_ seconds: Double?) -> String {
        seconds.map { ByteText.fixed($0, places: 1) + " s" } ?? "never"
    }

    static func count(_ number: Int, _ noun: String) -> String {
        "\(number) \(noun)\(number == 1 ? "" : "s")"
    }
}

extension Documentation {
    static func apple(_ symbol: String, _ path: String, says: String? = nil) -> Documentation {
        Documentation("Apple, \(symbol)", link: "https://developer.apple.com/documentation/\(path)", says: says)
    }

    /// Returns a comment in the sources of URLSession that the causes were read in.
    static func foundation(_ file: String, _ line: Int, says: String? = nil) -> Documentation {
        let folder = "https://github.com/swiftlang/swift-corelibs-foundation/blob/swift-6.3.1-RELEASE"
        return Documentation(
            "swift-corelibs-foundation, \(file):\(line)",
            link: "\(folder)/Sources/FoundationNetworking/URLSession/\(file)#L\(line)", says: says)
    }

    /// Returns a comment in the sources of async-http-client that the causes were read in.
    static func client(_ file: String, _ line: Int, says: String? = nil) -> Documentation {
        let folder = "https://github.com/swift-server/async-http-client/blob/1.37.0"
        return Documentation(
            "async-http-client, \(file.split(separator: "/").last ?? ""):\(line)",
            link: "\(folder)/\(file)#L\(line)", says: says)
    }

    static func rfc(_ number: Int, _ section: String, says: String? = nil) -> Documentation {
        Documentation(
            "RFC \(number), \(section)", link: "https://www.rfc-editor.org/rfc/rfc\(number)#section-\(section)",
            says: says)
    }

    static let suspend = apple("URLSessionTask.suspend()", "foundation/urlsessiontask/suspend()")
    static let cancel = apple("URLSessionTask.cancel()", "foundation/urlsessiontask/cancel()")
    static let requestTimeout = apple(
        "timeoutIntervalForRequest", "foundation/urlsessionconfiguration/timeoutintervalforrequest")
    static let redirection = apple(
        "willPerformHTTPRedirection",
        "foundation/urlsessiontaskdelegate/urlsession(_:task:willperformhttpredirection:newrequest:completionhandler:)")
    /// The loop over a body that "will automatically propagate backpressure".
    static let clientGuide = Documentation(
        "async-http-client, README.md:153",
        link: "https://github.com/swift-server/async-http-client/blob/1.37.0/README.md?plain=1#L153")
    static let redirectLimit = client("Sources/AsyncHTTPClient/HTTPClient.swift", 1383)
    /// A field value follows its colon with or without white space.
    static let fieldLine = rfc(9112, "5")
    static let incompleteMessage = rfc(9112, "8")

    static let blockedDelegate = Documentation(
        "Apple, swift-http-api-proposal#33", link: "https://github.com/apple/swift-http-api-proposal/pull/33",
        says: "blocking a delegate's thread just moves the buffer elsewhere")
}

extension UpstreamIssue {
    static func foundation(_ number: Int, _ state: State, _ note: String? = nil) -> UpstreamIssue {
        UpstreamIssue("swiftlang/swift-corelibs-foundation", number, state, note)
    }

    static func client(_ number: Int, _ state: State, _ note: String? = nil) -> UpstreamIssue {
        UpstreamIssue("swift-server/async-http-client", number, state, note)
    }
}
