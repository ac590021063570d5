// An IPv6 address at which nothing listens: it cannot connect, -1004.
_ = ask(origin + "/bytes/1KiB")
let (_, bytes, code) = ask(origin.replacingOccurrences(of: "127.0.0.1", with: "[::1]") + "/bytes/2KiB")
print("expected: error -1004; got: \(code == 0 ? "\(bytes) bytes" : "error \(code)")")
exit(code == -1004 ? 0 : 1)
