// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

extension Conduct {
    /// Programs that use `ptrace` themselves, as LeakSanitizer, strace and gdb do.
    @Suite struct ExecMethods {
        /// Asks to be traced by its parent, which the kernel refuses a process that is traced already.
        private static let tracee = """
            import ctypes, sys
            sys.exit("ptrace: Operation not permitted" if ctypes.CDLL(None).ptrace(0, 0, 0, 0) else 0)
            """

        @Test func aTracedProgramThatTracesFailsWithAHintAndIsPolledOnRequest() async throws {
            let sandbox = try Sandbox("ptrace")
            try sandbox.write(Self.tracee, to: "tracee.py")
            let words = try [
                "exec", "\(BuiltBinary.tool("python3")) tracee.py", "--trials", "1", "--format", "table,commands",
            ]
            let traced = try await sandbox.fetchbench(words)
            // Where the kernel lets nothing be traced, processes are polled anyway.
            if traced.status != 0 { #expect(traced.output.contains("--method polled"), "\(traced.output)") }
            let polled = try await sandbox.fetchbench(words + ["--method", "polled"])
            #expect(polled.status == 0, "\(polled.output)\(polled.complaint)")
            #expect(polled.output.contains("polled every millisecond"), "\(polled.output)")
            #expect(polled.output.contains("polled_high_water_mark"))
        }
    }
}
