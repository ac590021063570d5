// The usual URL, and the same with its scheme in capitals.
_ = ask(origin + "/bytes/1KiB")
let (_, bytes, code) = ask("HTTP" + origin.dropFirst(4) + "/bytes/2KiB")
print("expected: 2048 bytes; got: \(code == 0 ? "\(bytes) bytes" : "error \(code)")")
exit(bytes == 2048 ? 0 : 1)
