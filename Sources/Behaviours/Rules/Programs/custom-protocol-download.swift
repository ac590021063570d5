let end = DispatchSemaphore(value: 0)
let configuration = URLSessionConfiguration.ephemeral
configuration.protocolClasses = [Served.self] + (configuration.protocolClasses ?? [])
let session = URLSession(configuration: configuration)
var count = 0
// The first one is answered by the origin, the second one by the protocol.
for path in ["/bytes/1KiB", "/bytes/2KiB"] {
    session.downloadTask(with: URL(string: CommandLine.arguments[1] + path)!) { location, _, _ in
        count = location.flatMap { try? Data(contentsOf: $0) }?.count ?? 0
        end.signal()
    }.resume()
    _ = end.wait(timeout: .now() + 5)
}
print("expected: a file with the protocol's 7 bytes; got: \(count) bytes")
exit(count == 7 ? 0 : 1)
