let end = DispatchSemaphore(value: 0)
var status = 0
var request = URLRequest(url: URL(string: CommandLine.arguments[1] + "/sink")!)
request.httpMethod = "POST"
request.httpBodyStream = InputStream(data: Data(repeating: 0x78, count: 64 << 10))
request.setValue("65536", forHTTPHeaderField: "Content-Length")
// The origin refuses a request that has Transfer-Encoding beside Content-Length, and answers any other.
let other = URLRequest(url: URL(string: CommandLine.arguments[1] + "/bytes/1KiB")!)
for request in [other, request] {
    URLSession(configuration: .ephemeral).dataTask(with: request) { _, response, _ in
        status = (response as? HTTPURLResponse)?.statusCode ?? 0
        end.signal()
    }.resume()
    end.wait()
}
print("expected: status 200 for a body with one length; got: \(status == 0 ? "no answer" : "status \(status)")")
exit(status == 200 ? 0 : 1)
