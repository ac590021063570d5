let end = DispatchSemaphore(value: 0)
let origin = CommandLine.arguments[1]
// The two names of this machine are two hosts to a client.
let other = origin.replacingOccurrences(of: "127.0.0.1", with: "localhost")
var request = URLRequest(url: URL(string: origin + "/redirect/302?to=\(other)/bytes/1KiB")!)
request.setValue("Bearer 0123456789", forHTTPHeaderField: "Authorization")
let session = URLSession(configuration: .ephemeral)
session.dataTask(with: request) { _, _, _ in end.signal() }.resume()
end.wait()
// The origin's log of the requests at the other host.
var log = ""
session.dataTask(with: URL(string: origin + "/requests?path=/bytes/1KiB")!) { data, _, _ in
    log = String(decoding: data ?? Data(), as: UTF8.self).lowercased()
    end.signal()
}.resume()
end.wait()
let isSent = log.contains("\"authorization\"")
print("expected: no Authorization at localhost; got: \(isSent ? "the field" : "none")")
exit(isSent ? 1 : 0)
