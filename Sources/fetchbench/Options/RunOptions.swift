// SPDX-License-Identifier: Apache-2.0

import CommandConsole

/// The flags shared by commands that store a run of one plan: destination and output.
struct RunOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Folder for the run's folder (default: \(RunFolder.usualParent)).", valueName: "folder"),
        completion: .directory)
    var output: String?

    @Option(help: ArgumentHelp("Name of this machine, stored with the run (default: none).", valueName: "name"))
    var label: String?

    @Flag(help: "Print only the summary and errors.")
    var quiet = false

    @OptionGroup var color: ColorOptions

    @Flag(
        name: .customLong("progress"), inversion: .prefixedNo,
        help: ArgumentHelp(
            "Show progress: every second on a terminal, otherwise after 1 s and every 30 s (FETCHBENCH_PROGRESS_SECONDS)."
        ))
    var progress = true

    func validate() throws { try Usage.checkFolder(output) }

    var showsProgress: Bool { progress && !quiet }

    var destination: RunMeasurement.Destination { RunMeasurement.Destination(output: output, label: label) }
}

/// The flags that describe requests for `--url`; their values are never stored.
struct RequestOptions: ParsableArguments {
    @Option(
        name: .customLong("header"),
        help: ArgumentHelp(
            "Request header for --url, as 'Name: value', or @FILE with one per line; repeatable (default: none). Values are not stored.",
            valueName: "header"))
    var headers: [String] = []

    @Option(
        help: ArgumentHelp(
            "HTTP method (default: GET, or POST with --body). URLSession does not follow redirects that would repeat a "
                + "body.", valueName: "method"))
    var requestMethod: String?

    @Option(
        help: ArgumentHelp(
            "Request body from this file, at most 64 MiB; it is read before measuring starts (default: none). Its length and SHA-256 are stored.",
            valueName: "file"))
    var body: String?

    @Flag(
        help: ArgumentHelp(
            "Skip the reference fetch: bodies are not verified, and no HEAD warms the connection. For faulty servers and single-use URLs."
        ))
    var noReference = false

    var words: RequestWords {
        var words = RequestWords()
        words.headers = headers
        words.method = requestMethod
        words.body = body
        words.asksFirst = !noReference
        return words
    }
}
