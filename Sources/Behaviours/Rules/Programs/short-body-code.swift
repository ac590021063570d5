// 16 KiB of the 64 KiB that Content-Length promises.
let code = ask(origin + "/faults/short?size=64KiB&sent=16KiB").code
print("expected: the error -1005, networkConnectionLost; got: \(code)")
exit(code == -1005 ? 0 : 1)
