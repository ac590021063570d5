// SPDX-License-Identifier: Apache-2.0

import Foundation
import FoundationNetworking
import Synchronization

extension ProbeCatalog {
    static let resume = [
        Probe("suspend-resume-data") { try suspendData($0) },
        Probe("suspend-resume-handler") { try suspendHandler($0) },
        Probe("suspend-resume-download") { try suspendDownload($0) },
        Probe("resume-data") { try resumeData($0) },
        Probe("resume-by-range") { try resumeByRange($0, "/bytes/8MiB?cut=3MiB") },
        Probe("resume-by-range-changed") { try resumeByRange($0, "/bytes/8MiB?cut=3MiB&changes-after=1") },
        Probe("resume-by-range-unsupported") { try resumeByRange($0, "/bytes/8MiB?cut=3MiB&ranges=none") },
    ]

    private static func pause(_ task: URLSessionTask) {
        task.suspend()
        Thread.detachNewThread {
            Thread.sleep(forTimeInterval: 0.5)
            task.resume()
        }
    }

    private static func suspendData(_ context: ProbeContext) throws {
        let sink = try SinkFile(context.file("body"))
        // The body of a delegate that takes each response for the beginning of a new one.
        let emptied = try SinkFile(context.file("emptied"))
        let pauses = Once()
        let end = Signal()
        let delegate = SessionDelegate(
            onResponse: {
                context.report("response", "after \(sink.byteCount > 0 ? "some" : "no") bytes")
                emptied.empty()
                return .allow
            },
            onData: { task, data in
                sink.append(data)
                emptied.append(data)
                if sink.byteCount >= 4 << 20, pauses.take() { pause(task) }
            },
            onEnd: context.reporting(end))
        let session = URLSession.plain(delegate: delegate)
        session.dataTask(with: try context.url("/bytes/16MiB?rate=8MiB")).resume()
        end.take()
    }

    /// Pauses in the middle of the body, by the clock: a handler gets no progress.
    private static func suspendHandler(_ context: ProbeContext) throws {
        let end = Signal()
        let task = URLSession.plain().dataTask(with: try context.url("/bytes/16MiB?rate=8MiB")) { data, _, error in
            context.report(error: error)
            try? context.leave("body", data ?? Data())
            end.give()
        }
        task.resume()
        Thread.sleep(forTimeInterval: 0.75)
        pause(task)
        end.take()
    }

    private static func suspendDownload(_ context: ProbeContext) throws {
        let pauses = Once()
        let progress = Mutex((last: Int64(0), backwards: 0))
        let end = Signal()
        let delegate = ProbeDownloadDelegate(
            onProgress: { task, written, _ in
                progress.withLock { progress in
                    if written < progress.last { progress.backwards += 1 }
                    progress.last = written
                }
                if written >= 4 << 20, pauses.take() { pause(task) }
            },
            onFile: { try? FileManager.default.copyItem(atPath: $0.path, toPath: context.file("body")) },
            onEnd: { error in
                context.report("backwards", progress.withLock { $0.backwards })
                context.report(error: error)
                end.give()
            })
        let session = URLSession.plain(delegate: delegate)
        session.downloadTask(with: try context.url("/bytes/16MiB?rate=8MiB")).resume()
        end.take()
    }

    private static func resumeData(_ context: ProbeContext) throws {
        let (end, handed) = (Signal(), Signal())
        let cancels = Once()
        let kept = Mutex<Data?>(nil)
        let delegate = ProbeDownloadDelegate(
            onProgress: { task, written, _ in
                guard written >= 1 << 20, cancels.take() else { return }
                task.cancel { data in
                    context.report("resume-data", data.map { "\($0.count) bytes" } ?? "nil")
                    kept.withLock { $0 = data }
                    handed.give()
                }
            },
            onFile: { try? FileManager.default.copyItem(atPath: $0.path, toPath: context.file("body")) },
            onEnd: context.reporting(end))
        let session = URLSession.plain(delegate: delegate)
        session.downloadTask(with: try context.url("/bytes/8MiB?rate=4MiB")).resume()
        end.take()
        handed.take()
        guard let data = kept.withLock({ $0 }) else { return }
        session.downloadTask(withResumeData: data).resume()
        end.take()
    }

    /// Requests the missing range, at most three times.
    private static func resumeByRange(_ context: ProbeContext, _ path: String) throws {
        let sink = try SinkFile(context.file("body"))
        let tag = Mutex<String?>(nil)
        let begins = Once()
        let end = Signal()
        let delegate = SessionDelegate(
            onData: { task, data in
                let response = task.response as? HTTPURLResponse
                // Anything but a part begins the body again.
                if begins.take(), response?.statusCode != 206 { sink.empty() }
                tag.withLock { $0 = response?.value(forHTTPHeaderField: "ETag") }
                sink.append(data)
            },
            onEnd: context.reporting(end))
        let session = URLSession.plain(delegate: delegate)
        for _ in 0..<3 where sink.byteCount < 8 << 20 {
            begins.reset()
            var request = URLRequest(url: try context.url(path))
            if sink.byteCount > 0 {
                request.setValue("bytes=\(sink.byteCount)-", forHTTPHeaderField: "Range")
                request.setValue(tag.withLock { $0 }, forHTTPHeaderField: "If-Range")
            }
            session.dataTask(with: request).resume()
            end.take()
        }
    }
}
