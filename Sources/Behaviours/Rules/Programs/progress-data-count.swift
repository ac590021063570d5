let end = DispatchSemaphore(value: 0)
let url = URL(string: CommandLine.arguments[1] + "/bytes/2MiB?rate=1MiB")!
let task = URLSession(configuration: .ephemeral).dataTask(with: url) { _, _, _ in end.signal() }
task.resume()
Thread.sleep(forTimeInterval: 1)
let midway = task.countOfBytesReceived
end.wait()
Thread.sleep(forTimeInterval: 0.5)
let final = task.countOfBytesReceived
print("expected: countOfBytesReceived > 0 midway, 2097152 at the end; got: \(midway), \(final)")
exit(midway > 0 && final == 2_097_152 ? 0 : 1)
