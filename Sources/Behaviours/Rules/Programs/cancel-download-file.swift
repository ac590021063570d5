import Glibc

// A folder of its own for what the download leaves.
var template = Array("/tmp/left-XXXXXX".utf8CString)
let folder = String(cString: mkdtemp(&template))
setenv("TMPDIR", folder, 1)
let end = DispatchSemaphore(value: 0)
let url = URL(string: CommandLine.arguments[1] + "/bytes/8MiB?rate=2MiB")!
let task = URLSession(configuration: .ephemeral).downloadTask(with: url) { _, _, _ in end.signal() }
task.resume()
Thread.sleep(forTimeInterval: 0.5)
task.cancel()
end.wait()
Thread.sleep(forTimeInterval: 0.5)
let files = try! FileManager.default.contentsOfDirectory(atPath: folder).count
try! FileManager.default.removeItem(atPath: folder)
print("expected: no file is left of a download that was cancelled; got: \(files)")
exit(files == 0 ? 0 : 1)
