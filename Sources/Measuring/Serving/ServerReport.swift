// SPDX-License-Identifier: Apache-2.0

import Runs

extension ServerCourse.Findings {
    /// Describes the course as a trial: growth counts from the first mark, and the phase `fetch` is that of the requests.
    func describe(in report: inout TrialReport, of order: ServerOrder, _ whole: CommandTrace) {
        guard let baseline else { return }
        report.baseline = Mark(memory: baseline.memory, allocator: nil)
        // Of a server that ended in the midst of its requests, what was seen until then.
        var trace = requested?.trace ?? whole
        (trace.exitStatus, trace.signal) = (whole.exitStatus, whole.signal)
        if requested == nil { trace.startNanoseconds = baseline.memory.timeNanoseconds }
        let usesJemalloc = trace.processes.contains { $0.mapsJemalloc }
        report.allocator = AllocatorIdentity(name: usesJemalloc ? "jemalloc" : "unknown")
        var end = requested?.memory ?? baseline.memory
        end.timeNanoseconds = max(end.timeNanoseconds, trace.endNanoseconds)
        report.phases = [
            PhaseReading(
                phase: .fetch, startNanoseconds: baseline.memory.timeNanoseconds, endNanoseconds: trace.endNanoseconds,
                cpuNanoseconds: trace.cpuNanoseconds, startShared: .zero, peak: trace.peak,
                end: Mark(memory: end, allocator: nil))
        ]
        report.command = trace
        report.settled = settled.map { Mark(memory: $0.memory, allocator: nil) }
        report.body = body(of: order)
        report.scenario = reading(of: order)
    }

    private func body(of order: ServerOrder) -> BodyReading? {
        guard let answer = answers.first else { return nil }
        let body = FetchedBody(content: .nothing, byteCount: answer.byteCount, sha256: answer.sha256)
        return try? BodyVerifier().reading(of: body, by: .length)
    }

    private func reading(of order: ServerOrder) -> ScenarioReading {
        var reading = ScenarioReading(figures: [:], remarks: remarks, isOneFetch: order.rounds == 1)
        if order.client == nil {
            reading.figures = ["scenario_requests": Double(answers.count), "requests_in_flight": Double(inFlight)]
        } else {
            reading.remarks.append("the requests are its client's: how many there are is not known")
        }
        reading.figures["requests_each_reading"] = Double(order.concurrency)
        reading.figures["first_byte_ns"] = median(\.firstByte)
        reading.figures["last_byte_ns"] = median(\.lastByte)
        reading.figures["stop_ns"] = stopNanoseconds.map(Double.init)
        if let baseline, let settled {
            reading.figures["descriptors_left"] = Double(settled.descriptors - baseline.descriptors)
        }
        if order.client == nil, inFlight < order.concurrency {
            reading.remarks.append(
                "\(inFlight) of \(order.concurrency) requests were in flight together: it answers no more at once")
        }
        reading.series = [
            "resident_bytes": series.map(\.memory.resident.rawValue),
            "anonymous_bytes": series.map(\.memory.anonymous.rawValue),
        ]
        return reading
    }

    private func median(_ time: (ServerClient.Answer) -> Int) -> Double? {
        Distribution(answers.map { Double(time($0)) })?.median
    }
}
