// SPDX-License-Identifier: Apache-2.0

import Judging
import Runs
import Testing
import TrialKit

struct BudgetUnitTests {
    @Test(arguments: [
        ("peak <= 4", 9, "4 has no unit; write 4 MiB"),
        ("4 >= peak", 1, "4 has no unit; write 4 MiB"),
        ("peak <= 0", 9, "0 has no unit; write 0 MiB"),
        ("peak <= -4", 10, "4 has no unit; write 4 MiB"),
        ("peak <= (4)", 10, "4 has no unit; write 4 MiB"),
        ("peak <= 4 + 5", 9, "4 has no unit; write 4 MiB"),
        ("peak <= 1.2 * size + 4", 22, "4 has no unit; write 4 MiB"),
        ("peak <= 1e3 - size", 9, "1e3 has no unit; write 1e3 MiB"),
        ("fetch_cpu <= 5", 14, "5 has no unit; write 5 ms"),
        ("fetch_duration + 5 <= 1 s", 18, "5 has no unit; write 5 ms"),
    ])
    func aNumberWithoutItsUnitIsAskedForIt(text: String, column: Int, message: String) {
        #expect(complaint(about: text)?.column == column)
        #expect(complaint(about: text)?.reason.description == message)
    }

    @Test(arguments: [
        ("k <= 1 MiB", 6, "a pure number cannot be compared with bytes"),
        ("k <= 1 ms", 6, "a pure number cannot be compared with a duration"),
        ("k <= size", 6, "a pure number cannot be compared with bytes"),
        ("peak <= k", 9, "bytes cannot be compared with a pure number"),
        ("peak <= 2 * 4", 9, "bytes cannot be compared with a pure number"),
        ("peak <= size / 4 MiB", 9, "bytes cannot be compared with a pure number"),
        ("peak <= 4 s", 9, "bytes cannot be compared with a duration"),
        ("fetch_cpu <= (4 MiB)", 14, "a duration cannot be compared with bytes"),
        ("peak <= size * size", 14, "bytes * bytes is not supported in a budget"),
        ("peak <= 4 MiB * size / size", 15, "bytes * bytes is not supported in a budget"),
        ("peak <= size * 1 s", 14, "bytes * a duration is not supported in a budget"),
        ("k <= 1 / size", 8, "a pure number / bytes is not supported in a budget"),
        ("size / fetch_duration >= 1", 6, "bytes / a duration is not supported in a budget"),
        ("peak <= size + k", 14, "bytes + a pure number is not supported in a budget"),
        ("peak - 4 ms <= size", 6, "bytes - a duration is not supported in a budget"),
    ])
    func unitsThatDoNotFitAreRefused(text: String, column: Int, message: String) {
        #expect(complaint(about: text)?.column == column)
        #expect(complaint(about: text)?.reason.description == message)
    }

    @Test(arguments: [
        ("peak <= 4 MiB", Metric.Unit.bytes), ("peak / size <= 4", .ratio), ("k <= size / 4 MiB", .ratio),
        ("k * size <= 4 MiB", .bytes), ("size * k * 2 / 3 <= 4 MiB", .bytes),
        ("fetch_cpu / fetch_duration <= 2", .ratio),
        ("fetch_cpu <= 0.5 * fetch_duration", .nanoseconds), ("peak / k <= -(-size)", .bytes),
        ("slope <= 0.05", .ratio),
        ("4 MiB / 2 MiB * 3 s >= fetch_cpu", .nanoseconds),
    ])
    func unitsThatFitAreKept(text: String, unit: Metric.Unit) throws {
        #expect(try Budget(parsing: text).expression.unit == unit)
    }

    @Test(arguments: OurFigures.metrics.all.map { NamedUnit(name: $0.name, unit: $0.unit) })
    func everyMetricHasItsFullName(metric: NamedUnit) throws {
        let (unit, factor) = (metric.unit, [Metric.Unit.bytes: "B", .nanoseconds: "ns"][metric.unit] ?? "")
        let expression = try Budget(parsing: "\(metric.name) <= 4 \(factor)").expression
        #expect(expression.unit == unit)
        #expect(expression.metrics == [metric.name])
    }

    @Test(arguments: [
        ("peak", "net_peak_growth_bytes"), ("growth", "peak_resident_growth_bytes"), ("net_peak", "net_peak_bytes"),
        ("whole_peak", "peak_resident_bytes"), ("whole_anonymous", "peak_anonymous_bytes"),
        ("program_pages", "program_bytes"), ("baseline_program_pages", "baseline_program_bytes"),
        ("anonymous", "peak_anonymous_growth_bytes"),
        ("retained", "retained_resident_growth_bytes"), ("page_cache", "page_cache_bytes"),
        ("purged", "purged_resident_growth_bytes"), ("bitmap", "bitmap_bytes"),
        ("sampled_maximum", "sampled_maximum_resident_growth_bytes"),
        ("fetch_peak", "fetch_peak_resident_growth_bytes"),
        ("render_peak", "render_peak_resident_growth_bytes"), ("hold_anonymous", "hold_peak_anonymous_growth_bytes"),
        ("release_allocated", "release_allocator_allocated_bytes"),
        ("render_allocator_resident", "render_allocator_resident_bytes"),
        ("baseline_resident", "baseline_resident_bytes"), ("baseline_anonymous", "baseline_anonymous_bytes"),
        ("retained_anonymous", "retained_anonymous_growth_bytes"),
    ])
    func shortNamesOfSizes(short: String, full: String) throws {
        #expect(try Budget(parsing: "\(short) <= 4 MiB").expression.metrics == [full])
    }

    @Test func shortNamesOfTheRest() throws {
        #expect(try Budget(parsing: "k <= 1").expression.metrics == ["copies_held_ratio"])
        #expect(try Budget(parsing: "copies_beside_bitmap <= 1").expression.metrics == ["copies_beside_bitmap_ratio"])
        #expect(try Budget(parsing: "fetch_cpu <= 1 s").expression.metrics == ["fetch_cpu_ns"])
        #expect(try Budget(parsing: "fetch_duration <= 1 s").expression.metrics == ["fetch_duration_ns"])
        #expect(try Budget(parsing: "verification_cpu <= 1 s").expression.metrics == ["verification_cpu_ns"])
        #expect(try Budget(parsing: "process_duration <= 1 s").expression.metrics == ["process_duration_ns"])
        #expect(
            try Budget(parsing: "1 MiB + peak / 2 >= 1 MiB + max(anonymous) - peak").expression.metrics
                == ["net_peak_growth_bytes", "peak_anonymous_growth_bytes"])
    }

    struct NamedUnit: Sendable, CustomTestStringConvertible {
        let name: String
        let unit: Metric.Unit
        var testDescription: String { name }
    }
}
