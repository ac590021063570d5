// SPDX-License-Identifier: Apache-2.0

import MemProbe
import OperatingSystem
import Origin
import Reports
import Texts

package struct BugReport: Sendable {
    package var row: BehaviourReport.Row
    package var evidence: Evidence
    package var program: MinimalProgram
    package var run: ProgramRun
    package var tool: String
    package var toolchain: BehaviourReport.Toolchain
    package var system: String?
    /// The row of the workaround, tried just now; `nil` if no row tries it.
    package var workaround: BehaviourReport.Row?

    package init(
        row: BehaviourReport.Row, evidence: Evidence, program: MinimalProgram, run: ProgramRun, tool: String,
        toolchain: BehaviourReport.Toolchain, system: String? = nil, workaround: BehaviourReport.Row? = nil
    ) {
        (self.row, self.evidence, self.program, self.run) = (row, evidence, program, run)
        (self.tool, self.toolchain, self.system) = (tool, toolchain, system)
        self.workaround = workaround
    }

    package var markdown: String {
        [
            "# \(SafeText.forMarkdown("\(row.path): \(row.word.rawValue): \(row.promise)"))\n", versions, promised,
            observed, minimalProgram, cause, remedy,
        ].joined(separator: "\n")
    }
}

extension BugReport {
    private var versions: String {
        let versions: [(String, String?)] = [
            ("Toolchain", toolchain.compiler ?? "Swift \(toolchain.swift)"),
            ("URLSession built on", toolchain.platform), ("libcurl, as loaded", toolchain.libcurl),
            ("System", system), ("Kernel", "Linux \(toolchain.kernel)"),
            ("C library, architecture", "\(toolchain.libc), \(toolchain.architecture)"),
            ("Observed with", tool + (toolchain.commit.map { " at commit \($0)" } ?? "")),
        ]
        return "## Versions\n\n"
            + versions.map { "- \($0): \(SafeText.forMarkdown($1 ?? "unknown"))\n" }.joined()
    }

    private var promised: String {
        let document = row.documentation.map { MarkdownWriter.text(of: $0.cell) } ?? "no document that we know"
        return "## Promise\n\n\(SafeText.forMarkdown(row.promise))\nDocumented by: \(document).\n"
    }

    private var observed: String {
        "## Observed\n\n**\(row.word.rawValue)** (\(row.word.meaning)): \(SafeText.forMarkdown(row.detail)).\n"
            + Self.requests(evidence.requests, at: "The origin") + kernel
    }

    private var kernel: String {
        guard !evidence.marks.isEmpty else { return "" }
        var table = TextTable(
            ["mark", "resident", "anonymous", "descriptors", "threads", "files", "bytes sent to it"], words: 1)
        table.rows = evidence.marks.prefix(Self.mostRows).map { mark in
            [
                SafeText.asCode(mark.mark), ObservationText.mebibytes(mark.residentBytes),
                ObservationText.mebibytes(mark.anonymousBytes), "\(mark.descriptors)", "\(mark.threads)",
                "\(mark.files.count)", "\(mark.bytesSent)",
            ]
        }
        return "\nThe kernel and the origin saw of the process:\n\n" + table.markdown
    }

    private var cause: String {
        let upstream = row.upstream.map { MarkdownWriter.text(of: UpstreamIssue.cell(of: $0)) } ?? "none found"
        return """
            ## Judgement.Cause

            Read in the released sources, swift-corelibs-foundation at swift-6.3.1-RELEASE: \
            \(SafeText.forMarkdown(row.cause ?? "unknown")).

            Upstream: \(upstream). Fixed in: \(SafeText.forMarkdown(row.fixedIn ?? "none")).

            """
    }

    private var remedy: String {
        let text = row.workaround.map { SafeText.forMarkdown($0.text) } ?? "none"
        let tried = workaround.map { row in
            "\nTried just now by `fetchbench behaviours --only \(row.name)`: **\(row.word.rawValue)**, "
                + "\(SafeText.forMarkdown(row.detail)).\n"
        }
        return "## Workaround\n\n\(text)\n" + (tried ?? "")
    }

    private static let mostRows = 20

    private static func requests(_ requests: [RequestRecord], at subject: String) -> String {
        guard !requests.isEmpty else { return "\n\(subject) saw no request.\n" }
        var table = TextTable(
            ["request", "range", "status", "body bytes sent", "ended", "after", "connection"], words: 2)
        table.rows = requests.prefix(mostRows).map { request in
            let query = request.query.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: "&")
            let target = request.path + (query.isEmpty ? "" : "?" + query)
            return [
                SafeText.asCode("\(request.method) \(target)"), SafeText.forMarkdown(request.headers["range"] ?? ""),
                request.status.map(String.init) ?? "none", "\(request.bytesSent.rawValue)",
                request.ending?.rawValue ?? "under way", ObservationText.seconds(request.seconds),
                "\(request.connection)",
            ]
        }
        let shown = requests.count > mostRows ? ", of which these are the first \(mostRows)" : ""
        return "\n\(subject) saw \(ObservationText.count(requests.count, "request"))\(shown):\n\n" + table.markdown
    }

    /// The program, the commands to run it, and what it did.
    private var minimalProgram: String {
        """
        ## Minimal program

        ```swift
        \(program.source)```

        \(program.isSnippet ? snippetOutcome : programOutcome)
        """
    }

    private var snippetOutcome: String {
        """
        `swiftc -typecheck \(program.row).swift`, just now:

        ```
        \(SafeText.forTerminal(run.complaint))
        ```

        """
    }

    /// The second address that the origin prints.
    private var secureArgument: String { program.isOverTLS ? " https://127.0.0.1:PORT" : "" }

    private var programOutcome: String {
        let output = run.output.map(SafeText.forTerminal).joined(separator: "\n")
        return """
            Compiled and run just now. The origin is that of fetchbench; it serves deterministic bodies and faults by path.

            ```
            fetchbench serve --port 8080\(program.isOverTLS ? " --tls authority.pem" : "") &
            swiftc -O \(program.row).swift && ./\(program.row) http://127.0.0.1:8080\(secureArgument)
            ```

            It \(run.endingText)\(output.isEmpty ? " and printed nothing" : " and printed"):

            ```
            \(output.isEmpty ? SafeText.forTerminal(run.complaint) : output)
            ```

            """ + Self.requests(run.requests, at: "Its origin")
    }
}

extension ProgramRun {
    /// How it ended: `exited with status 1 after 3.1 s`.
    fileprivate var endingText: String {
        let time = ObservationText.seconds(Double(duration) / 1e9)
        return switch ending {
        case .exited(let status): "exited with status \(status) after \(time)"
        case .signalled(let number):
            "was ended by signal \(number) (\(signalName(Int32(truncatingIfNeeded: number)))) after \(time)"
        case .killedAtLimit: "was killed after \(time), as it did not end"
        case .killedOverMemory, .wroteTooMuch: "was killed after \(time)"
        case .notStarted(let reason): "was not started: \(SafeText.forMarkdown(reason))"
        }
    }
}
