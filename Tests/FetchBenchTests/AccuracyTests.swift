// SPDX-License-Identifier: Apache-2.0

import Testing

extension EndToEnd {
    /// The figures of this comparison, within the limits that a reader may expect of them.
    @Suite struct Accuracy {
        /// 6000×4000 pixels of four bytes, in MiB.
        static let bitmap = 91.5527
        static let encoded = 12.4917
        /// 1500×1000 pixels: the decoder's step of 2/8 on the way to the thumbnail.
        static let step = 5.7220
        /// 1170×780 pixels: what the view shows of it.
        static let thumbnail = 3.4813

        @Test func copiesOfABodyOf64MiB() async throws {
            let sandbox = try Sandbox("copies")
            let arguments = [
                "run", "--asset", "64MiB", "--mode", "data,download,stream,raw", "--render", "none", "--trials", "3",
            ]
            #expect(try await sandbox.fetchbench(arguments, within: 150).status == 0)
            let run = try sandbox.onlyRun()
            let bars: [(mode: String, peak: ClosedRange<Double>)] = [
                ("data", 1.95 * 64...2.2 * 64), ("download", 0...6), ("stream", 0...8), ("raw", 0...1.5),
                ("none", 0...0.5),
            ]
            for bar in bars {
                let peaks = try run.rows(ofMode: bar.mode).map { try $0.mebibytes("peak_resident_growth_bytes") }
                #expect(peaks.count == 3)
                // A busy machine makes a consumer late, and a stream without back-pressure then queues what arrives:
                // it can only be more than the mode needs.
                #expect(bar.peak.contains(peaks.min() ?? .infinity), "\(bar.mode): \(peaks) MiB")
            }
        }

        @Test func rawNeedsTheSameForAnySize() async throws {
            let sandbox = try Sandbox("raw")
            let arguments = [
                "run", "--asset", "16MiB,256MiB", "--mode", "raw", "--render", "none", "--trials", "2", "--rate",
                "unlimited",
            ]
            #expect(try await sandbox.fetchbench(arguments, within: 150).status == 0)
            let peaks = try sandbox.onlyRun().rows(ofMode: "raw").map { try $0.mebibytes("peak_resident_growth_bytes") }
            #expect(peaks.count == 4)
            let spread = (peaks.max() ?? .infinity) - (peaks.min() ?? 0)
            #expect(spread <= 0.5, "\(peaks)")
        }

        @Test func renderingHoldsTheBitmapAndWhatTheFetchHolds() async throws {
            let sandbox = try Sandbox("render")
            let arguments = [
                "run", "--asset", "hero", "--mode", "data,download", "--render", "imageview,thumbnail", "--trials",
                "2",
            ]
            #expect(try await sandbox.fetchbench(arguments, within: 150).status == 0)
            let rows = try sandbox.onlyRun().table("trials.csv").rows.filter { $0["mode"] != "none" }
            #expect(rows.count == 8)
            for row in rows {
                let held = row["mode"] == "data" ? Self.encoded : 0
                let growth = try row.mebibytes("render_peak_anonymous_growth_bytes")
                let bitmap = try row.mebibytes("bitmap_bytes")
                if row["render"] == "imageview" {
                    #expect(abs(growth - Self.bitmap - held) <= 1, "\(row["mode"] ?? ""): \(growth) MiB")
                    #expect(abs(bitmap - Self.bitmap) < 0.01)
                } else {
                    // The source is let go of before the thumbnail comes.
                    let expected = Self.step + max(held, Self.thumbnail)
                    #expect(abs(growth - expected) <= 1, "\(row["mode"] ?? ""): \(growth) MiB")
                    #expect(abs(bitmap - Self.thumbnail) < 0.01)
                }
            }
        }

        @Test func armsRunOnTheirAllocators() async throws {
            let sandbox = try Sandbox("arms")
            let doctor = try await sandbox.fetchbench("doctor")
            let lacksJemalloc = doctor.output.contains(#/missing +allocator jemalloc /#)
            let ended = try await sandbox.fetchbench(
                "run", "--asset", "1MiB", "--mode", "data", "--render", "none", "--trials", "1", "--allocator",
                "glibc,glibc-pinned,jemalloc,jemalloc-tight")
            let record = try sandbox.onlyRun().record()
            let glibc = ["glibc": "glibc", "glibc-pinned": "glibc"]
            let jemalloc = ["jemalloc": "jemalloc", "jemalloc-tight": "jemalloc"]
            let expected = lacksJemalloc ? glibc : glibc.merging(jemalloc) { $1 }
            #expect(record.environment.allocators.mapValues(\.name) == expected)
            #expect(ended.status == (lacksJemalloc ? 2 : 0))
            for row in try sandbox.onlyRun().table("trials.csv").rows {
                #expect(row["outcome"] == "completed")
                #expect(try row.number("fetch_allocator_allocated_bytes") > 0, "\(row["allocator"] ?? "")")
            }
        }
    }
}
