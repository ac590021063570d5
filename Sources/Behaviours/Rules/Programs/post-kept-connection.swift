// A server that answers its first request, and closes the connection when the second one has arrived.
let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
var (address, length) = (sockaddr_in(), socklen_t(MemoryLayout<sockaddr_in>.size))
(address.sin_family, address.sin_addr.s_addr) = (sa_family_t(AF_INET), UInt32(0x7f00_0001).bigEndian)
withUnsafeMutablePointer(to: &address) {
    $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        _ = (bind(listener, $0, length), listen(listener, 8), getsockname(listener, $0, &length))
    }
}
var again = "nothing more"
Thread.detachNewThread {
    func read(_ connection: Int32) -> String {
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = recv(connection, &bytes, bytes.count, 0)
        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    }
    let (kept, answer) = (accept(listener, nil, nil), "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
    _ = (read(kept), send(kept, answer, answer.utf8.count, 0))
    while !read(kept).hasSuffix("order") {}
    close(kept)
    let second = accept(listener, nil, nil)
    sleep(1)
    again = read(second).hasSuffix("order") ? "the POST again" : "the POST again, without its body"
}
let configuration = URLSessionConfiguration.ephemeral
configuration.timeoutIntervalForRequest = 2
let session = URLSession(configuration: configuration)
var server = URLComponents(string: CommandLine.arguments[1] + "/bytes/1KiB")!
for method in ["GET at the origin", "GET", "POST"] {
    let end = DispatchSemaphore(value: 0)
    var request = URLRequest(url: server.url!)
    if method == "POST" { (request.httpMethod, request.httpBody) = (method, Data("order".utf8)) }
    session.dataTask(with: request) { _, _, _ in end.signal() }.resume()
    end.wait()
    server.port = Int(UInt16(bigEndian: address.sin_port))
}
print("expected: nothing more is sent after the lost POST; got: \(again)")
exit(again == "nothing more" ? 0 : 1)
