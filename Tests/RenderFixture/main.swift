// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Rendering
import TrialKit

// Renders one file in a fresh process and reports what that cost: `render-fixture MODEL heap|file|pieces PATH`.

struct Report: Encodable {
    var failure: String?
    var detail: String?
    var width: Int?
    var height: Int?
    var note: String?
    var bitmapBytes: Int?
    var anonymousGrowth: Int
    var peakResidentGrowth: Int
    var anonymousGrowthAfterRelease: Int
    var leakedBitmapBytes: Int
}

/// The value of a line of a `/proc/self` file in bytes, or −1 where there is none.
func reading(_ key: String, of file: String) -> Int {
    guard let text = try? String(contentsOfFile: "/proc/self/\(file)", encoding: .utf8),
        let line = text.split(separator: "\n").first(where: { $0.hasPrefix(key + ":") }),
        let number = line.split(separator: " ").dropLast().last, let kibibytes = Int(number)
    else { return -1 }
    return kibibytes * 1024
}

/// The anonymous memory now; exact, where `RssAnon` lags by some pages per CPU.
func anonymousBytes() -> Int { reading("Anonymous", of: "smaps_rollup") }

func body(_ place: String, _ path: String) throws -> FetchedBody {
    guard place == "heap" else { return FetchedBody(content: .file(path: path), byteCount: 0) }
    let data = try Data(contentsOf: URL(fileURLWithPath: path))
    return FetchedBody(content: .memory(data), byteCount: data.count)
}

/// The body as a fetch leaves it that hands out pieces of 16 KiB.
func consumed(by renderer: any Renderer, _ path: String) throws -> FetchedBody {
    guard let consumer = renderer.makeConsumer() else { return .nothing }
    let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 16 * 1024, alignment: 16)
    defer { buffer.deallocate() }
    var byteCount = 0
    while true {
        let count = Glibc.read(file.fileDescriptor, buffer.baseAddress, buffer.count)
        guard count > 0 else { break }
        consumer.take(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        byteCount += count
    }
    return FetchedBody(content: .consumed(consumer), byteCount: byteCount)
}

func measure(_ renderer: any Renderer, _ place: String, _ path: String) throws -> Report {
    // Twice, so that neither the measuring nor the decoder allocates anything for the first time later on.
    for _ in 0..<2 {
        try renderer.warmUp()
        _ = anonymousBytes()
        _ = reading("VmHWM", of: "status")
    }
    let anonymous = anonymousBytes()
    try FileHandle(forWritingTo: URL(fileURLWithPath: "/proc/self/clear_refs")).write(contentsOf: Data("5".utf8))
    let peak = reading("VmHWM", of: "status")
    var report = Report(
        anonymousGrowth: 0, peakResidentGrowth: 0, anonymousGrowthAfterRelease: 0, leakedBitmapBytes: 0)
    do {
        // Nothing here holds the body, so that a model which drops it frees it.
        let image = try renderer.render(try place == "pieces" ? consumed(by: renderer, path) : body(place, path))
        report.anonymousGrowth = anonymousBytes() - anonymous
        report.width = image.decodedWidth
        report.height = image.decodedHeight
        report.note = image.note
        report.bitmapBytes = image.bitmapByteCount
    } catch let failure as RenderFailure {
        report.failure = failure.code.rawValue
        report.detail = failure.detail
    }
    report.peakResidentGrowth = reading("VmHWM", of: "status") - peak
    report.anonymousGrowthAfterRelease = anonymousBytes() - anonymous
    report.leakedBitmapBytes = BitmapLedger.process.liveByteCount
    return report
}

let arguments = CommandLine.arguments
guard arguments.count == 4, let model = RenderCatalog.all.first(where: { $0.name == arguments[1] }) else {
    FileHandle.standardError.write(Data("usage: render-fixture MODEL heap|file|pieces PATH\n".utf8))
    exit(64)
}
let report = try measure(model.makeRenderer(RenderSettings()), arguments[2], arguments[3])
FileHandle.standardOutput.write(try JSONEncoder().encode(report))
