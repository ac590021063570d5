let end = DispatchSemaphore(value: 0)
var bytes = 0
var code = "none"
let url = URL(string: CommandLine.arguments[1] + "/bytes/16MiB?rate=8MiB")!
let session = URLSession(configuration: .ephemeral)
let task = session.dataTask(with: url) { data, _, error in
    bytes = data?.count ?? 0
    if let error { code = "\((error as NSError).code)" }
    end.signal()
}
task.resume()
Thread.sleep(forTimeInterval: 0.75)
task.suspend()
Thread.sleep(forTimeInterval: 0.5)
task.resume()
end.wait()
print("expected: 16777216 bytes, error none; got: \(bytes) bytes, error \(code)")
exit(bytes == 16_777_216 && code == "none" ? 0 : 1)
