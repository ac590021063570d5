// SPDX-License-Identifier: Apache-2.0

import ProbeProtocol
import Texts

extension BehaviourCatalog {
    static let costs =
        waiting + (answers("", APIName.data) + answers("-ahc", APIName.client))
        + (answers("-nio", APIName.nio, areRedirected: false) + answers("-curl", APIName.curl)) + [
            chunks("small-chunks-download", APIName.download)
        ]

    private static let waiting =
        CostProbe.Round.allCases.map { round in
            Behaviour(
                "waiting-\(round.rawValue)", path: APIName.data,
                promise: "To wait for \(expected(round)) takes no processor time.", documented: nil,
                flaw: round == .keptConnection ? nil : busy(round), observe: idle)
        }
        + [("ahc", APIName.client), ("nio", APIName.nio), ("curl", APIName.curl), ("socket", APIName.socket)].map {
            Behaviour(
                "waiting-\($0)", path: $1,
                promise: "To wait for an answer takes no processor time, on whatever connection.", documented: nil,
                observe: idle)
        }

    private static func expected(_ round: CostProbe.Round) -> String {
        switch round {
        case .newConnection: "the bytes of a slow answer, on a new connection,"
        case .firstByte: "the first byte of an answer, on a new connection,"
        case .keptConnection: "the first byte of an answer, on a connection that is open already,"
        case .concurrent: "four answers at once"
        case .upload: "the answer to an upload"
        }
    }

    private static func busy(_ round: CostProbe.Round) -> Flaw {
        Flaw(
            .hazard,
            cause: "MultiHandle.swift:581: createSources only adds. The write source that libcurl asks for while it "
                + "connects or sends is cancelled when the socket is let go, not when libcurl asks for reading alone; "
                + "a connected socket can always be written to, so the source fires again at once, thousands of times "
                + "a second",
            workaround: round == .upload
                ? .row("waiting-ahc", "send bodies with another client")
                : .row(
                    "waiting-kept-connection",
                    "one small request first, and no more tasks at once than connections that are open"))
    }

    /// Half of the time: who waits takes some hundredths of it, and who spins all of it.
    private static let mostWanted = 0.5

    /// Counts the time in which a thread was ready and another process had the processor, so that a busy machine does
    /// not hide that a client spins.
    private static func idle(_ evidence: Evidence) -> Observation {
        let shares = CostProbe.Round.allCases.compactMap { round -> (name: String, share: Double)? in
            guard let before = evidence.mark("\(round.rawValue)-before"),
                let after = evidence.mark("\(round.rawValue)-after"), after.requests > before.requests,
                let share = after.wantedShare(since: before)
            else { return nil }
            return (round.rawValue, share)
        }
        guard !shares.isEmpty else { return .missing("account of a wait") }
        let words = shares.map { "\($0.name) \(ByteText.fixed($0.share, places: 2))" }.joined(separator: ", ")
        return .decide(
            shares.allSatisfy { $0.share <= mostWanted },
            "up to \(ByteText.fixed(shares.map(\.share).max() ?? 0, places: 2)) s of processor wanted for each second of waiting: "
                + words
        )
    }

    private static func answers(_ suffix: String, _ path: String, areRedirected: Bool = true) -> [Behaviour] {
        let isFoundation = path == APIName.data
        let redirect = Behaviour(
            "redirect-body" + suffix, path: path,
            promise: "The time for a redirect with a body of its own grows as the size of that body.", documented: nil,
            seconds: 60,
            flaw: isFoundation
                ? Flaw(
                    .hazard,
                    cause: "NativeProtocol.swift:109: a second reference to lastRedirectBody is held while a piece is "
                        + "appended, so that each piece copies the whole body; three copies are held at the end",
                    workaround: .row("redirect-body-ahc", "async-http-client")) : nil
        ) { grown($0, CostProbe.redirects, "MiB of a redirect's body") }
        let lines = [("header-lines", "header lines"), ("cookie-lines", "cookies")].map { name, noun in
            Behaviour(
                name + suffix, path: path, promise: "The time for an answer grows as the number of its \(noun).",
                documented: nil, seconds: 60,
                flaw: isFoundation
                    ? Flaw(
                        .hazard,
                        cause: "Message.swift:96: byAppending(headerLine:) makes a new array of all lines for each one",
                        workaround: .row("\(name)-ahc", "async-http-client, which refuses so long a head")) : nil
            ) { grown($0, CostProbe.fields, noun) }
        }
        return (areRedirected ? [redirect] : []) + lines + [chunks("small-chunks" + suffix, path)]
    }

    private static func chunks(_ name: String, _ path: String) -> Behaviour {
        Behaviour(
            name, path: path, promise: "The memory for a body does not depend on the size of its HTTP chunks.",
            documented: nil, seconds: 60,
            flaw: [APIName.data, APIName.download].contains(path)
                ? Flaw(
                    .hazard,
                    cause:
                        "EasyHandle.swift:593: resetTimer makes a new timer for each chunk, and a cancelled one is freed "
                        + "by a later turn of the queue, so they pile up where chunks come faster than that",
                    workaround: .row("small-chunks-ahc", "async-http-client, or a server that sends pieces of some KiB")
                )
                : nil, observe: heldForChunks)
    }

    /// Half of the time for the largest answer, as far as it grows with the square of the size.
    private static let mostSquare = 0.5
    /// A time in nanoseconds that needs no explanation: the kernel counts in steps of 10 ms.
    private static let smallTime = 100_000_000

    /// Fits a·n + b·n² to the processor time of one large answer and of as much in small ones: the former is the same.
    private static func grown(_ evidence: Evidence, _ sizes: [Int], _ noun: String) -> Observation {
        let marks = ([0] + sizes).compactMap { evidence.mark("\($0)") }
        let times = zip(marks, marks.dropFirst()).compactMap { $1.processorTime(since: $0) }
        guard times.count == sizes.count, let first = times.first, let last = times.last, marks[0].requests > 0,
            let peak = marks.last?.peakResidentBytes
        else { return .missing("account of answers of \(sizes.count) sizes") }
        let refused = sizes.filter { evidence.count("refused", "\($0)") > 0 }
        let factor = Double(sizes[sizes.count - 1]) / Double(sizes[0])
        let square = Double(last - first) / (1 - 1 / factor)
        let words = zip(sizes, times).map { size, time in
            "\(size): \(ByteText.fixed(Double(time / CostProbe.count(of: size, among: sizes)) / 1e9, places: 2))"
        }.joined(separator: ", ")
        return .decide(
            last <= smallTime || square <= mostSquare * Double(last),
            "seconds of processor by \(noun): \(words); "
                + "\(ObservationText.mebibytes(max(0, peak - marks[0].residentBytes))) more at the peak"
                + (refused.isEmpty ? "" : "; refused: \(refused.map(String.init).joined(separator: ", "))"))
    }

    /// The bytes for each chunk that need no explanation.
    private static let mostForAChunk = 64

    private static func heldForChunks(_ evidence: Evidence) -> Observation {
        let marks = CostProbe.chunks.compactMap { evidence.mark("\($0)") }
        guard marks.count == 2, marks[1].requests - marks[0].requests == 1, let large = marks[0].peakResidentBytes,
            let small = marks[1].peakResidentBytes
        else { return .missing("account of a body in chunks of two sizes") }
        let bytes = (small - large) * CostProbe.chunks[1] / (1 << 20)
        return .decide(
            bytes <= mostForAChunk,
            "\(bytes) B for each chunk: 1 MiB in chunks of \(CostProbe.chunks[1]) bytes takes \(ObservationText.mebibytes(small - large)) more than "
                + "in chunks of 64 KiB")
    }
}

extension Reading {
    fileprivate func processorTime(since before: Reading) -> Int? {
        guard let end = processorNanoseconds, let start = before.processorNanoseconds else { return nil }
        return end - start
    }

    /// The part of the time since an earlier mark in which the process used a processor or was ready for one; more than 1
    /// with several threads, and `nil` where the kernel's figures are missing.
    fileprivate func wantedShare(since before: Reading) -> Double? {
        guard let used = processorTime(since: before), time > before.time else { return nil }
        let queued = (queuedNanoseconds ?? 0) - (before.queuedNanoseconds ?? 0)
        return Double(used + max(0, queued)) / Double(time - before.time)
    }
}
