let end = DispatchSemaphore(value: 0)
var file: URL?
let url = URL(string: CommandLine.arguments[1] + "/bytes/256KiB")!
URLSession(configuration: .ephemeral).downloadTask(with: url) { location, _, _ in
    file = location
    end.signal()
}.resume()
end.wait()
Thread.sleep(forTimeInterval: 1)
let isLeft = file.map { FileManager.default.fileExists(atPath: $0.path) }
let seen = isLeft.map { $0 ? "still there" : "gone" } ?? "no file"
print("expected: the temporary file is gone after the handler returned; got: \(seen)")
if let file { try? FileManager.default.removeItem(at: file) }
exit(isLeft == false ? 0 : 1)
