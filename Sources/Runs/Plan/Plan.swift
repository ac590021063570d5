// SPDX-License-Identifier: Apache-2.0

package import MemProbe
package import Statistics
package import TrialKit

/// What a run measures: assets × modes × render models × allocators × conditions × trials.
package struct Plan: Codable, Hashable, Sendable {
    /// The assets, each once.
    package var assets: [Asset]
    /// The names of the modes.
    package var modes: [String]
    /// The commands among the modes.
    package var commands: [ExternalCommand]
    /// The names of the render models.
    package var renders: [String]
    /// The allocators.
    package var allocators: [AllocatorArm]
    /// How many trials each case gets.
    package var trials: Int
    /// What orders the trials and fills synthetic assets.
    package var seed: UInt64
    /// How trials are done.
    package var settings: TrialSettings
    /// The cells that can be measured, in the order of the report.
    package var cases: [Case]
    /// The cells that cannot.
    package var inapplicable: [InapplicableCase]

    /// One trial to be done.
    package struct Slot: Hashable, Sendable {
        /// The number of the trial in its run, from 1.
        package var trial: Int
        /// What it measures.
        package var cell: Case
        /// A number of its own for whatever the trial draws by chance; the two trials of a pair have the same.
        package var seed: UInt64

        /// Creates one.
        package init(trial: Int, cell: Case, seed: UInt64) {
            self.trial = trial
            self.cell = cell
            self.seed = seed
        }

        /// The trial of a turn.
        package init(_ turn: Rounds<Case, UInt64>.Turn) {
            self.init(trial: turn.position, cell: turn.subject, seed: turn.chance)
        }
    }

    /// The turns of the cases, each with the seed of its trial.
    package var rounds: Rounds<Case, UInt64> {
        Rounds(of: cases, count: trials, by: SeededGenerator(seed: seed)) { $0.next() }
    }

    /// All trials in the order in which they are done.
    package var slots: [Slot] { rounds.map { Slot($0) } }

    /// The command of a case, or `nil` where a built-in mode fetches.
    package func command(of cell: Case) -> ExternalCommand? {
        commands.first { $0.name == cell.mode }
    }

    /// The first mode that fetches and is no command: the null case runs in its program.
    package var firstMode: String? {
        modes.first { mode in mode != Case.nullMode && !commands.contains { $0.name == mode } }
    }

    /// Whether anything is fetched: not of plain commands alone.
    package var fetches: Bool { cases.contains { !$0.isPlain } }

    /// The cases that are plain commands.
    package var plainCases: [Case] { cases.filter(\.isPlain) }

    /// Whether any case is fetched over TLS.
    package var usesTLS: Bool {
        cases.contains { $0.conditions.scheme == .https }
    }

    /// Whether any case has conditions other than the usual ones.
    package var hasConditions: Bool {
        cases.contains { $0.conditions != .standard }
    }

    /// The asset of a case, or `nil` in the null case.
    package func asset(of cell: Case) -> Asset? {
        assets.first { $0.name == cell.asset }
    }
}

/// How the trials of a plan are done.
package struct TrialSettings: Codable, Hashable, Sendable {
    /// How bodies are verified.
    package var verification: Verification
    /// How fast the embedded origin sends, as `--rate` words it.
    package var rate: String
    /// After how many seconds a trial is killed.
    package var timeoutSeconds: Double
    /// The resident size beyond which a trial is killed; `nil` where an older version has set none.
    package var memoryLimit: ByteCount?
    /// The view that is rendered into, and the limits of decoding.
    package var rendering: RenderSettings
    /// How many connections a session may open to one host, or `nil` for what each mode does by itself.
    package var maximumConnections: Int?
    /// How long the embedded origin waits before it answers, in nanoseconds; `nil` where it does not.
    package var latencyNanoseconds: Int?
    /// What may be known of the details of requests for a foreign URL; `nil` where there are none.
    package var request: RequestOutline?
    /// How plain commands are run, where there are any.
    package var commands: CommandSettings?

    /// Creates settings.
    package init(
        verification: Verification = .sha256, rate: String = TransferRate.standard.text, timeoutSeconds: Double = 60,
        memoryLimit: ByteCount? = nil, rendering: RenderSettings = RenderSettings()
    ) {
        self.verification = verification
        self.rate = rate
        self.timeoutSeconds = timeoutSeconds
        self.memoryLimit = memoryLimit
        self.rendering = rendering
    }

    private enum CodingKeys: String, CodingKey {
        case verification, rate, rendering, request, commands
        case latencyNanoseconds = "latency_ns"
        case timeoutSeconds = "timeout_seconds"
        case memoryLimit = "memory_limit_bytes"
        case maximumConnections = "maximum_connections"
    }
}
