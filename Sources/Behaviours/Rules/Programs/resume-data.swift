let end = DispatchSemaphore(value: 0)
var resumeData: Data?
let url = URL(string: CommandLine.arguments[1] + "/bytes/8MiB?rate=4MiB")!
let session = URLSession(configuration: .ephemeral)
let task = session.downloadTask(with: url) { _, _, _ in }
task.resume()
Thread.sleep(forTimeInterval: 1)
task.cancel { data in
    resumeData = data
    end.signal()
}
end.wait()
var status = 0
if let resumeData {
    session.downloadTask(withResumeData: resumeData) { _, response, _ in
        status = (response as? HTTPURLResponse)?.statusCode ?? 0
        end.signal()
    }.resume()
    end.wait()
}
let data = resumeData.map { "\($0.count) bytes" } ?? "nil"
print("expected: resume data, and status 206 with it; got: \(data), status \(status)")
exit(status == 206 ? 0 : 1)
