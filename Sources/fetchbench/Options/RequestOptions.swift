// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Measuring

/// The flags that describe requests for `--url`; their values are never stored.
struct RequestOptions: ParsableArguments {
    @Option(
        name: .customLong("header"),
        help: ArgumentHelp(
            "A header of requests for --url, as 'Name: value', or @FILE for a file with one a line; repeatable. Never stored.",
            valueName: "header"))
    var headers: [String] = []

    @Option(
        help: ArgumentHelp(
            "The method of these requests (default: GET, and POST with --body); the modes of URLSession end at a redirect "
                + "that keeps it with its body.", valueName: "method"))
    var requestMethod: String?

    @Option(
        help: ArgumentHelp(
            "A file that they send; in memory before the baseline, 64 MiB at most. Its length and SHA-256 are stored.",
            valueName: "file"))
    var body: String?

    @Flag(
        help: ArgumentHelp(
            "Do not ask the server first what it sends: bodies are compared with nothing, and no HEAD warms a connection. For faulty servers, and URLs that work once."
        ))
    var noReference = false

    /// The arguments as given.
    var words: RequestWords {
        var words = RequestWords()
        words.headers = headers
        words.method = requestMethod
        words.body = body
        words.asksFirst = !noReference
        return words
    }
}
