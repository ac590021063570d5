// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import MemProbe
import Synchronization

/// Serves bodies to the readers and reads the process at intervals.
final class ProxyPlayer: ScenarioPlayer {
    private let stage: ScenarioStage
    private let variant: ProxyScenario.Variant?
    private let count: Int
    private let paces: ReaderPaces
    private let relay: any Relay
    private let server: RelayServer
    private let meter: RequestMeter
    private let readers: Companion
    private var before: ReadersAnswer?
    private var answer: ReadersAnswer?
    private var isCutShort = false

    init(
        _ scenario: ProxyScenario, on stage: ScenarioStage, variant: ProxyScenario.Variant?, count: Int
    ) throws {
        (self.stage, self.variant, self.count) = (stage, variant, count)
        paces = ReaderPaces(seed: stage.seed)
        relay = try Self.relay(variant, on: stage)
        let meter = try RequestMeter(
            of: count, after: min(ProxyScenario.settlingCount, count / 4), most: ProxyScenario.readingCount)
        self.meter = meter
        server = try RelayServer(relay, in: stage.directory) { meter.count() }
        readers = try Companion(of: scenario)
    }

    func warmUp() async throws {
        if let kept = relay as? KeptBodyRelay { try await kept.fetch([stage.warmup, stage.target]) }
        server.serve(stage.warmup)
        before = try await ask(count: 0, paces: [])
        _ = try await ask(count: ProxyScenario.warmUpCount, paces: [])
        server.serve(stage.target)
        meter.start()
    }

    func play() async throws {
        let start = MonotonicClock.now()
        var played = count
        answer = try await ask(count: count, paces: paces.milliseconds)
        while true {
            let goal = min(2 * played, RepeatReadings.most(of: count))
            guard goal > played, meter.rises else { break }
            isCutShort = !stage.allowsDoubling(since: start)
            guard !isCutShort else { break }
            let more = try await ask(count: goal - played, paces: paces.milliseconds)
            _ = try more.agreedBody()
            played = goal
        }
        answer?.requests = played
    }

    func end() async {
        await readers.finish()
        server.close()
        await relay.invalidate()
    }

    func reading() throws -> ScenarioReading {
        let figures = answer.map {
            [
                "scenario_requests": Double($0.requests), "readers": Double(ProxyScenario.readerCount),
                "reader_p50_ns": Double($0.medianNanoseconds), "reader_p99_ns": Double($0.slowestPercentNanoseconds),
                "most_descriptors": Double($0.mostDescriptors),
                "socket_memory_bytes": Double($0.socketByteCount),
            ]
        }
        var reading = ScenarioReading(figures: figures ?? [:], series: meter.series, trace: paces.trace)
        reading.figures["requests_each_reading"] = Double(meter.interval)
        if let connections = answer?.originConnections, let before = before?.originConnections {
            reading.figures["origin_connections"] = Double(connections - before)
        }
        reading.remarks = [relay.remark, isCutShort ? RepeatReadings.remark : nil].compactMap(\.self)
        reading.body = try body()
        return reading
    }

    private func body() throws -> BodyReading? {
        guard let found = try answer?.agreedBody() else { return nil }
        let hash = stage.settings.verification == .sha256 ? found.sha256 : nil
        return try BodyVerifier().reading(
            of: FetchedBody(content: .nothing, byteCount: found.byteCount, sha256: hash), by: .length)
    }

    private func ask(count: Int, paces: [Int]) async throws -> ReadersAnswer {
        var order = ReadersOrder(port: server.port, requests: count, readers: ProxyScenario.readerCount, paces: paces)
        order.closes = variant == .close
        // Over TLS, a query to the origin would take more than a few lines.
        if stage.warmup.scheme == "http" { order.origin = stage.warmup.port }
        let text = String(decoding: try JSONEncoder().encode(order), as: UTF8.self)
        let answer = try JSONDecoder().decode(ReadersAnswer.self, from: Data(try await readers.ask(text).utf8))
        // The server's failure says more than what a reader saw of it.
        if let failure = server.failure { throw failure }
        if let failure = answer.failure { throw FetchFailure(.other, "a reader: \(failure)") }
        return answer
    }

    private static func relay(_ variant: ProxyScenario.Variant?, on stage: ScenarioStage) throws -> any Relay {
        let relay = try stage.mode.makeRelay(stage.settings)
        return switch variant {
        case .buffered: BufferingRelay(relay)
        case .server: KeptBodyRelay(relay, in: stage.directory)
        case .close, nil: relay
        }
    }

    /// Reads the process at an interval of answered requests, on the thread that answered the last of them.
    final class RequestMeter: Sendable {
        private struct State: ~Copyable {
            var probe: ProcessProbe
            var readings: RepeatReadings
            var isRunning = false
            var answered = 0
            var failed = false

            init(capacity: Int) throws {
                probe = try ProcessProbe(.current)
                readings = RepeatReadings(capacity: capacity)
            }
        }

        let interval: Int

        private let first: Int
        private let asked: Int
        private let capacity: Int
        private let state: Mutex<State>

        /// Reserves memory for all readings.
        /// - Parameters:
        ///   - count: The number of all requests.
        ///   - first: The number of requests before the first interval.
        ///   - most: The largest number of readings.
        init(of count: Int, after first: Int, most: Int) throws {
            self.first = first
            interval = max(1, (count - first) / most)
            asked = (count - first) / interval
            capacity = (RepeatReadings.most(of: count) - first) / interval
            state = Mutex(try State(capacity: capacity))
        }

        func start() { state.withLock { $0.isRunning = true } }

        func count() {
            state.withLock { state in
                guard state.isRunning, state.answered < first + capacity * interval else { return }
                state.answered += 1
                guard state.answered > first, (state.answered - first).isMultiple(of: interval) else { return }
                do { try state.readings.append(&state.probe) } catch { state.failed = true }
            }
        }

        /// True if more requests have to tell a leak from a pool that fills.
        var rises: Bool { state.withLock { $0.readings.rise(after: asked, each: interval) } }

        /// The readings by name; empty if one failed, because the others would belong to other requests.
        var series: [String: [Int]] { state.withLock { $0.failed ? [:] : $0.readings.series } }
    }
}
