// The usual URL, and the same with a short form of the address.
_ = ask(origin + "/bytes/1KiB")
let (_, bytes, code) = ask(origin.replacingOccurrences(of: "127.0.0.1", with: "127.1") + "/bytes/2KiB")
print("expected: 2048 bytes; got: \(code == 0 ? "\(bytes) bytes" : "error \(code)")")
exit(bytes == 2048 ? 0 : 1)
