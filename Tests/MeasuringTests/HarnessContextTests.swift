// SPDX-License-Identifier: Apache-2.0

import Measuring
import Runs
import Testing

/// What is made of the one reading of the process.
@Suite struct HarnessContextTests {
    private func context(_ environment: [String: String]) -> HarnessContext {
        HarnessContext(
            arguments: [], environment: environment, executable: "/opt/bin/fetchbench", workingDirectory: "/work/here",
            user: 1000, drawsProgress: false)
    }

    @Test func temporaryFilesAreWhereTheUserSays() {
        #expect(context([:]).temporaryDirectory == "/tmp")
        #expect(context(["TMPDIR": ""]).temporaryDirectory == "/tmp")
        #expect(context(["TMPDIR": "/scratch"]).temporaryDirectory == "/scratch")
        #expect(context(["TMPDIR": "scratch"]).temporaryDirectory == "/work/here/scratch")
        #expect(context([:]).neighbour("lib") == "/opt/bin/lib")
    }

    /// 32 KiB of environment are 32 KiB of memory, and what a shell exports is nobody's business.
    @Test func theOriginGetsWhatItNeeds() throws {
        let given = ["HOME": "/home/me", "XDG_CACHE_HOME": "/caches", "TOKEN": "secret", "SSL_CERT_FILE": "/ca"]
        #expect(
            try context(given).originEnvironment() == [
                "HOME": "/home/me", "XDG_CACHE_HOME": "/caches", "SSL_CERT_FILE": "/ca",
                TrialVariables.backtrace.name: TrialVariables.backtrace.value,
            ])
    }

    @Test func whatIsStoredNamesNoFolderOfTheUser() {
        let here = context(["HOME": "/home/me", "TMPDIR": "/scratch"])
        #expect(here.redaction.text("cat /home/me/a /work/here/b /scratch/c") == "cat ~/a ./b TMPDIR/c")
        let pasted = ShellWord.quoted(here.shellRedaction.text("/home/me/a"))
        #expect(pasted == #""$HOME"'/a'"#)
    }

    @Test func gitGetsTheEnvironmentOfTheUser() async {
        var here = context(["GIT_DIR": "/elsewhere"])
        here.outside.revision = { SourceRevision(commit: $0["GIT_DIR"] ?? "", hasUncommittedChanges: false) }
        #expect(await here.revision()?.commit == "/elsewhere")
        here.outside.machine = { folder in
            var machine = SyntheticRun.environment
            machine.temporaryFileSystem = folder
            return machine
        }
        #expect(here.machine().temporaryFileSystem == "/tmp")
    }
}
