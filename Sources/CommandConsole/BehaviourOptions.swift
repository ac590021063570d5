// SPDX-License-Identifier: Apache-2.0

package struct BehaviourOptions: ParsableArguments {
    package static let abstract = "Test how the fetch APIs behave on Linux, and compare with their documentation."

    package static let discussion = """
        fetchbench behaviours --only cancel-data,redirect-307-body
        fetchbench behaviours --against results/behaviours.json

        Each behaviour is tested in a separate process against the embedded origin and judged by the \
        observations of the origin and the kernel. Hangs and crashes are results, too; behaviours that depend on chance are repeated.

        --expect fails (exit status 1) if a behaviour changed, and ends with 2 if one could not be compared. --against \
        prints what changed and does not judge. Ctrl-C keeps the results so far, marked as incomplete.
        --report writes a bug report on a behaviour of URLSession with a minimal program, which is compiled with the \
        swiftc on PATH and run. Exit status: 0 with a report, or if the behaviour is correct; 2 without a compiler, or \
        if the program does not show the fault.
        """

    @Option(
        help: ArgumentHelp("Behaviours, separated by commas (default: all).", valueName: "names"),
        completion: .shellCommand("fetchbench behaviours --list | cut -d ' ' -f 1"))
    package private(set) var only: [String] = []

    @Option(
        help: ArgumentHelp(
            "Output formats: markdown, csv, json, html, table.", valueName: "formats"),
        completion: .list(["markdown", "csv", "json", "html", "table"]))
    package private(set) var format: [String] = ["markdown"]

    @Option(
        help: ArgumentHelp(
            "Folder to write behaviours.md, .csv, .json and .html to (default: none).", valueName: "folder"),
        completion: .directory)
    package private(set) var output: String?

    @Option(
        help: ArgumentHelp(
            "Expected behaviours.json; differences set the exit status (default: none).", valueName: "file"),
        completion: .file())
    package private(set) var expect: String?

    @Option(
        help: ArgumentHelp(
            "Earlier behaviours.json, or one of another toolchain; prints the changes instead of the table (default: none).",
            valueName: "file"),
        completion: .file())
    package private(set) var against: String?

    @Option(
        help: ArgumentHelp(
            "Behaviour to write a bug report on, as Markdown with a program that is compiled and run (default: none).",
            valueName: "name"),
        completion: .shellCommand("fetchbench behaviours --list | cut -d ' ' -f 1"))
    package private(set) var report: String?

    @Option(help: ArgumentHelp("Number of behaviours to test concurrently; most of them wait.", valueName: "count"))
    package private(set) var jobs = 1

    @Flag(help: "List the behaviours without testing them.")
    package private(set) var list = false

    @Flag(help: "Print only the result and errors.")
    package private(set) var quiet = false

    package init() {}
}
