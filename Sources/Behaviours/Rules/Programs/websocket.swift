let end = DispatchSemaphore(value: 0)
var code = 0
// The origin speaks no WebSocket; a client that does asks it for an upgrade nevertheless.
let url = URL(string: "ws" + CommandLine.arguments[1].dropFirst(4) + "/bytes/1KiB")!
let task = URLSession(configuration: .ephemeral).webSocketTask(with: url)
task.resume()
task.receive { result in
    if case .failure(let error) = result { code = (error as NSError).code }
    end.signal()
}
end.wait()
print("expected: another error than -1002, unsupportedURL; got: \(code)")
exit(code == -1002 ? 1 : 0)
