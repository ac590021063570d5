struct Sunk: Decodable { var bytes: Int }

let end = DispatchSemaphore(value: 0)
var received: Int?
var request = URLRequest(url: URL(string: CommandLine.arguments[1] + "/redirect/307?to=/sink")!)
request.httpMethod = "POST"
request.httpBody = Data(repeating: 65, count: 10_000)
// The target answers with the number of bytes that it received: {"bytes":…}
URLSession(configuration: .ephemeral).dataTask(with: request) { data, _, _ in
    received = data.flatMap { try? JSONDecoder().decode(Sunk.self, from: $0) }?.bytes
    end.signal()
}.resume()
end.wait()
print("expected: 10000 bytes at the target; got: \(received.map { "\($0) bytes" } ?? "no POST")")
exit(received == 10_000 ? 0 : 1)
