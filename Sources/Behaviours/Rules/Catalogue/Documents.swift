// SPDX-License-Identifier: Apache-2.0

extension Documentation {
    /// Returns a page of Apple's reference.
    /// - Parameters:
    ///   - symbol: The name of the API.
    ///   - path: The end of the address: `foundation/urlsessiontask/suspend()`.
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
    /// A body that is shorter than its Content-Length is incomplete.
    static let incompleteMessage = rfc(9112, "8")

    /// A description of blocking delegates by Apple's engineers.
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
