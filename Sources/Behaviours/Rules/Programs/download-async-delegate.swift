final class Progress: NSObject, URLSessionDownloadDelegate {
    func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask, didWriteData bytesWritten: Int64,
        totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64
    ) {}
    func urlSession(_: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL) {}
}

let request = URLRequest(url: URL(string: CommandLine.arguments[1] + "/bytes/256KiB")!)
let session = URLSession(configuration: .ephemeral)
let (location, _) = try await session.download(for: request, delegate: Progress())
let bytes = try location.resourceValues(forKeys: [.fileSizeKey]).fileSize ?? 0
try FileManager.default.removeItem(at: location)
print("expected: a file of 262144 bytes; got: \(bytes) bytes")
exit(bytes == 262_144 ? 0 : 1)
