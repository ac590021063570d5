// SPDX-License-Identifier: Apache-2.0

import Foundation
import Measuring
import MemProbe
import OperatingSystem
import Runs
import TrialKit

/// A trial whose every figure follows from a few numbers: what the process would have answered, and the samples that
/// the harness would have taken of it.
struct SyntheticTrial {
    var number = 1
    var cell = Case(asset: "hero", mode: "data", render: "none", allocator: .glibc)
    var asset: Asset? = .hero
    var seed: UInt64 = 7
    var baselineShared = ByteCount.mebibytes(18)
    var baselineAnonymous = ByteCount.mebibytes(6)
    /// How far anonymous memory rises over the baseline in a phase.
    var peaks: [Phase: ByteCount] = [.fetch: .mebibytes(25), .hold: .mebibytes(12), .render: .mebibytes(12)]
    /// What of it is left when a phase ends.
    var ends: [Phase: ByteCount] = [
        .fetch: .mebibytes(12), .hold: .mebibytes(12), .render: .mebibytes(12), .release: .mebibytes(1),
    ]
    /// The program pages among what is shared, at the baseline and after; `nil` where the kernel hides them.
    var programPages: (before: ByteCount, after: ByteCount)? = (.mebibytes(7), .mebibytes(9))
    var settled = ByteCount.kibibytes(900)
    var purged = ByteCount.kibibytes(300)
    var pageCache: ByteCount?
    var bitmap: ByteCount?
    var records: Int?
    var bodySHA256: String? = Asset.hero.sha256
    var allocatorName = "glibc"

    /// The instant at which each measured phase begins, and how long it lasts.
    static let times: [Phase: (start: Int, length: Int)] = [
        .fetch: (1_000_000_000, 200_000_000), .hold: (1_201_000_000, 30_000_000),
        .render: (1_232_000_000, 150_000_000), .release: (1_383_000_000, 5_000_000),
    ]

    /// The trial as the harness would store it.
    func trial() throws -> Trial {
        let assembler = TrialAssembler(slot: slot, asset: asset, timeoutSeconds: 60)
        return assembler.trial(of: try end())
    }

    /// The place of the trial in its plan.
    var slot: Plan.Slot {
        var slot = Plan.synthetic().slots[0]
        slot.trial = number
        slot.cell = cell
        slot.seed = seed
        return slot
    }

    /// How its process ended.
    func end() throws -> ProcessEnd {
        ProcessEnd(
            ending: .exited(0), nanoseconds: 1_450_000_000, output: Array(try JSONEncoder().encode(try report())),
            series: SampleSeries(samples: samples))
    }

    /// What its process answered.
    func report() throws -> TrialReport {
        var report = TrialReport(
            version: 1,
            allocator: AllocatorIdentity(name: allocatorName, version: allocatorName == "glibc" ? "2.36" : "5.3.0"),
            exactness: "exact", hugePagesDisabled: true)
        report.baseline = mark(at: 990_000_000, growth: .zero)
        report.baseline?.memory.programPages = programPages?.before
        report.phases = Phase.measured.map(reading(of:))
        report.settled = mark(at: 1_500_000_000, growth: settled)
        report.purged = mark(at: 1_510_000_000, growth: purged)
        if let size = asset?.byteCount {
            report.body = try .synthetic(byteCount: size, sha256: bodySHA256, pageCache: pageCache)
        }
        if let bitmap { report.picture = try .synthetic(bitmap) }
        report.recordCount = records
        return report
    }

    /// A sample every 5 ms of each phase: the one in the middle is at the peak, those behind it at what is left.
    var samples: [Sample] {
        Phase.measured.flatMap { phase -> [Sample] in
            let (start, length) = Self.times[phase] ?? (0, 0)
            let middle = length / 10_000_000
            return (0...length / 5_000_000).map { step in
                let growth =
                    step < middle && phase == .fetch ? .zero : step == middle ? peak(of: phase) : end(of: phase)
                return Sample(
                    timeNanoseconds: start + step * 5_000_000,
                    resident: baselineShared + baselineAnonymous + growth, shared: baselineShared)
            }
        }
    }

    private func peak(of phase: Phase) -> ByteCount { peaks[phase] ?? end(of: phase) }

    private func end(of phase: Phase) -> ByteCount { ends[phase] ?? .zero }

    private func reading(of phase: Phase) -> PhaseReading {
        let (start, length) = Self.times[phase] ?? (0, 0)
        return PhaseReading(
            phase: phase, startNanoseconds: start, endNanoseconds: start + length, cpuNanoseconds: length / 4,
            startShared: baselineShared,
            peak: PeakReading(
                resident: baselineShared + baselineAnonymous + peak(of: phase), source: .highWaterMark,
                errorBound: .kibibytes(744)),
            end: mark(at: start + length, growth: end(of: phase)))
    }

    private func mark(at nanoseconds: Int, growth: ByteCount) -> Mark {
        let isJemalloc = allocatorName == "jemalloc"
        let allocated = ByteCount.mebibytes(4) + growth
        return Mark(
            memory: Snapshot(
                timeNanoseconds: nanoseconds, resident: baselineShared + baselineAnonymous + growth,
                anonymous: baselineAnonymous + growth, programPages: programPages?.after, threads: 4,
                cpuNanoseconds: nanoseconds / 10),
            allocator: AllocatorStatistics(
                allocated: allocated, active: isJemalloc ? allocated + .kibibytes(64) : nil,
                resident: isJemalloc ? allocated + .mebibytes(1) : nil))
    }
}

extension Asset {
    /// The hero image as the origin describes it, with a hash that is easy to recognise.
    static let hero = Asset(
        name: "hero", location: "/hero.jpg", isEmbedded: true, byteCount: ByteCount(13_099_008),
        sha256: "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef", mediaType: "image/jpeg")
}

extension BodyReading {
    /// A body as a trial's document words it.
    static func synthetic(
        byteCount: ByteCount, sha256: String?, pageCache: ByteCount? = nil
    ) throws -> BodyReading {
        var fields: [String: Any] = ["bytes": byteCount.rawValue, "verification_cpu_ns": 9_500_000]
        fields["sha256"] = sha256
        fields["page_cache_bytes"] = pageCache?.rawValue
        return try JSONDecoder().decode(BodyReading.self, from: JSONSerialization.data(withJSONObject: fields))
    }
}

extension PictureReading {
    /// A picture of the hero's size as a trial's document words it.
    static func synthetic(_ bitmap: ByteCount) throws -> PictureReading {
        let fields = ["width": 6000, "height": 4000, "bitmap_bytes": bitmap.rawValue]
        return try JSONDecoder().decode(PictureReading.self, from: JSONSerialization.data(withJSONObject: fields))
    }
}
