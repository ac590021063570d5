// The first half of a body in gzip, without a length.
let (_, bytes, code) = ask(origin + "/faults/cut-gzip")
print("expected: an error; got: \(code == 0 ? "\(bytes) bytes as if whole" : "an error")")
exit(code == 0 ? 1 : 0)
