// SPDX-License-Identifier: Apache-2.0

import Judging
import Runs

/// Judgements whose every figure is fixed, so that what is drawn of them can be compared to the letter.
enum SampleJudgement {
    /// Every verdict, every unit, with budgets and without.
    static var complete: Judgement {
        judgement(
            .interleaved,
            [
                unchanged, regressed, anonymous, improved, slower, inconclusive, incomparable, gone, overBudget,
                withinBudget, withoutCase,
            ])
    }

    static func judgement(_ kind: Judgement.Kind, _ findings: [Finding]) -> Judgement {
        Judgement(
            tool: "fetchbench 0.1.0", kind: kind, baseName: "abc1234", headName: "def5678",
            judgedAt: "2026-01-02T03:04:05Z", seed: 18_446_744_073_709_551_615, findings: findings,
            warnings: [
                RunWarning("swap is in use", remedy: "swapoff -a"), RunWarning("the processor is another model"),
            ], environment: environment)
    }

    /// The red line of the design, figure by figure.
    static var regressed: Finding {
        var finding = compared("hero/download/imageview/jemalloc", .netPeakGrowth, .regressed, effect: 0.025)
        finding.base = 164 * mebibyte
        finding.head = 168.1 * mebibyte
        finding.scale = 164 * mebibyte
        finding.interval = (3.8 / 164)...(4.4 / 164)
        finding.p = 0.00003
        finding.limit = 1.7 * mebibyte
        (finding.baseTrials, finding.headTrials, finding.isConfirmed) = (30, 30, true)
        finding.phase = .fetch
        finding.reproduce = "fetchbench compare --mode download --render imageview --allocator jemalloc --seed 7"
        return finding
    }

    private static let leak = Metric("allocated_slope_bytes", short: "leak", .bytes, "a leak") { _ in nil }

    /// A scenario's own figure: a leak of 64 B per request.
    static var leaking: Finding {
        var finding = compared("64KiB/data/none/glibc+scenario=repeat", leak, .regressed, effect: 63.5)
        (finding.base, finding.head, finding.scale, finding.limit) = (0.5, 64, 1, 16)
        finding.interval = 62.3...64.8
        (finding.p, finding.smallestDetectableChange) = (0.00003, 3.5)
        (finding.baseTrials, finding.headTrials, finding.isConfirmed) = (30, 30, true)
        return finding
    }

    /// A plain command, of which there are no phases and no warm-up.
    static func plain(_ verdict: Finding.Verdict, named cell: String = "sort/glibc/threads=2") -> Finding {
        var finding = compared(cell, .netPeakGrowth, verdict, effect: verdict == .unchanged ? 0.0002 : 0.25)
        finding.part = .command
        return finding
    }

    private static var anonymous: Finding {
        var finding = compared("hero/download/imageview/jemalloc", .peakAnonymousGrowth, .unchanged, effect: 0.0004)
        finding.p = 0.31
        return finding
    }

    private static var unchanged: Finding {
        var finding = compared("hero/data/none/glibc", .netPeakGrowth, .unchanged, effect: -0.0002)
        finding.p = 0.62
        return finding
    }

    private static var improved: Finding {
        var finding = compared("hero/stream/none/glibc", .netPeakGrowth, .improved, effect: -0.125)
        finding.interval = -0.131...(-0.119)
        finding.p = 1e-9
        (finding.baseTrials, finding.headTrials, finding.isConfirmed) = (30, 30, true)
        finding.phase = .hold
        return finding
    }

    private static var slower: Finding {
        var finding = compared("hero/raw/none/glibc", .duration(of: .fetch), .unchanged, effect: 0.01)
        (finding.base, finding.head, finding.limit) = (218_500_000, 220_700_000, 10_925_000)
        finding.scale = finding.base
        return finding
    }

    static var inconclusive: Finding {
        var finding = compared("hero/stream/none/jemalloc", .netPeakGrowth, .inconclusive, effect: 0.021)
        finding.interval = -0.004...0.047
        finding.p = 0.08
        finding.smallestDetectableChange = 0.0314
        finding.reason = "119 trials on either side would do"
        finding.reproduce = "fetchbench compare --mode stream --allocator jemalloc --trials 119 --seed 7"
        return finding
    }

    static var incomparable: Finding {
        Finding(
            cell: "hero/raw/none/jemalloc", metric: Metric.netPeakGrowth.name, unit: .bytes, part: .fetchPath,
            verdict: .incomparable,
            reason: "C library: glibc 2.36 and glibc 2.41")
    }

    private static var gone: Finding {
        var finding = Finding(
            cell: "64MiB/data/none/glibc", metric: Metric.copiesHeld.name, unit: .ratio, part: nil, verdict: .missing,
            reason: "the head has no such case")
        finding.base = 2.04
        finding.baseTrials = 10
        return finding
    }

    static var overBudget: Finding {
        var finding = Finding(
            cell: "hero/data/none/glibc", metric: Metric.peakResidentGrowth.name, unit: .bytes, part: nil,
            verdict: .overBudget,
            reason: "hero/data/none/glibc: peak 29.0 MiB > limit 27.5 MiB (2.2 * size; trial 7 is the worst of 10)")
        (finding.head, finding.limit) = (29 * mebibyte, 27.5 * mebibyte)
        finding.headTrials = 10
        finding.budget = "hero/data/*/glibc: peak <= 2.2 * size"
        return finding
    }

    private static var withinBudget: Finding {
        var finding = Finding(
            cell: "hero/raw/none/glibc", metric: Metric.copiesHeld.name, unit: .ratio, part: nil, verdict: .unchanged)
        (finding.head, finding.limit, finding.headTrials) = (0.03, 0.1, 10)
        finding.budget = "k <= 0.1"
        return finding
    }

    private static var withoutCase: Finding {
        var finding = Finding(
            cell: "*/curl/*/*", metric: Metric.peakResidentGrowth.name, unit: .bytes, part: nil, verdict: .missing,
            reason: "no case of the run matches '*/curl/*/*'")
        finding.budget = "*/curl/*/*: peak <= 8 MiB"
        return finding
    }

    /// A finding of twelve pairs whose head lies where its effect says.
    private static func compared(
        _ cell: String, _ metric: Metric, _ verdict: Finding.Verdict, effect: Double
    ) -> Finding {
        let judged = JudgedMetric.memory.first { $0.alternatives.contains { $0.name == metric.name } }
        var finding = Finding(
            cell: cell, metric: metric.name, unit: metric.unit,
            part: judged?.part ?? (metric.name == leak.name ? .scenario : nil), verdict: verdict)
        finding.base = 40 * mebibyte
        finding.head = 40 * mebibyte * (1 + effect)
        finding.scale = 40 * mebibyte
        finding.effect = effect
        finding.interval = (effect - 0.003)...(effect + 0.003)
        finding.p = 0.2
        finding.limit = 0.4 * mebibyte
        (finding.baseTrials, finding.headTrials) = (12, 12)
        finding.smallestDetectableChange = 0.0042
        return finding
    }

    private static let mebibyte = 1_048_576.0

    private static var environment: MachineEnvironment {
        var machine = EnvironmentProbe.environment(
            temporaryDirectory: "/", commit: "def5678", hasUncommittedChanges: false, label: "bench")
        (machine.architecture, machine.processor, machine.processorCount) = ("x86_64", "A <Processor> of 2026", 2)
        (machine.pageSize, machine.memory, machine.peakErrorBound) = (
            ByteCount(4096), .mebibytes(4096), .kibibytes(744)
        )
        (machine.kernel, machine.libc, machine.swift) = ("6.18.0", "glibc 2.36", "6.3")
        (machine.buildConfiguration, machine.transparentHugePages) = ("release", "madvise")
        (machine.exactness, machine.canResetPeak, machine.canReadMappings) = ("exact", true, true)
        machine.temporaryFileSystem = "ext4"
        machine.conditions = ["allowed processors": "2"]
        machine.allocators = [
            "glibc": AllocatorIdentity(name: "glibc", version: "2.36"),
            "jemalloc": AllocatorIdentity(
                name: "jemalloc", version: "5.3.0-0-g54eaed1d", configuration: ["opt.narenas": "8"]),
        ]
        return machine
    }
}

extension Judgement {
    /// The same, read by somebody who takes what cannot be compared for no failure.
    var tolerant: Judgement {
        var judgement = self
        judgement.toleratesIncomparable = true
        return judgement
    }
}
