// SPDX-License-Identifier: Apache-2.0

import Measuring
import Runs

/// The workflow that `init` writes: get fetchbench, build the measured programs, judge, keep the report.
enum StarterWorkflow {
    /// The image of all jobs: it has Swift, and the oldest C library that fetchbench supports.
    private static let image = "swift:6.3-bookworm"

    /// The folder for the workflow's runs: a repository may have runs of its own in the usual one.
    private static let output = "fetchbench-results"

    private static let judging = StarterSubject.checkCommand + " --output " + output

    static func text(
        for service: Service, _ subject: StarterSubject, from source: Source
    ) -> String? {
        switch service {
        case .github: github(subject, source)
        case .gitlab: gitlab(subject, source)
        case .none: nil
        }
    }

    private static func github(_ subject: StarterSubject, _ source: Source) -> String {
        let url = source.url.map(StarterSuite.quoted) ?? "${{ vars.\(source.variable) }}"
        let build = subject.build.map { "\n      - name: Build\n        run: \($0)" } ?? ""
        return filled(
            PackageResources.github_yml,
            [
                "key": source.cacheKey, "variable": source.variable, "url": url, "build": build,
                "commands": getting(source).joined(separator: "\n          "),
            ])
    }

    private static func filled(_ template: [UInt8], _ values: [String: String]) -> String {
        let usual = ["suite": StarterSubject.suiteFile, "image": image, "judge": judging, "output": output]
        return usual.merging(values) { $1 }.reduce(String(decoding: template, as: UTF8.self)) {
            $0.replacing("{{\($1.key)}}", with: $1.value)
        }
    }

    /// The commands of GitHub's step that gets fetchbench.
    private static func getting(_ source: Source) -> [String] {
        let folder = "$RUNNER_TEMP/fetchbench"
        return ["apt-get update && apt-get install -y \(source.packages)"] + source.commands(folder)
            + ["echo \"\(folder)/\(source.programs)\" >> \"$GITHUB_PATH\""]
    }

    private static func gitlab(_ subject: StarterSubject, _ source: Source) -> String {
        let place = source.url.map { "\n  variables:\n    \(source.variable): \(StarterSuite.quoted($0))" } ?? ""
        let folder = "$CI_PROJECT_DIR/.fetchbench"
        let script =
            ["apt-get update && apt-get install -y \(source.packages)"] + source.commands(folder) + [
                "export PATH=\"\(folder)/\(source.programs):$PATH\""
            ] + [subject.build].compactMap(\.self) + [
                "status=0; \(judging) || status=$?",
                "fetchbench report \"$(dirname \(output)/*/judgement.json)\" --format openmetrics > metrics.txt || true",
                "exit $status",
            ]
        return filled(
            PackageResources.gitlab_yml,
            ["place": place, "key": source.cacheKey, "script": script.map(yaml).joined(separator: "\n    - ")])
    }

    /// Returns a shell command as a YAML scalar, quoted where YAML would take it for something else.
    private static func yaml(_ command: String) -> String {
        let isPlain = command.first?.isLetter == true && !command.contains(": ") && !command.contains(" #")
        return isPlain ? command : StarterSuite.quoted(command)
    }

    enum Service: String, CaseIterable {
        case github, gitlab, none

        var path: String? {
            switch self {
            case .github: ".github/workflows/memory.yml"
            case .gitlab: "ci/fetchbench.gitlab-ci.yml"
            case .none: nil
            }
        }

        func remark(on source: Source) -> String? {
            let variable = source.url == nil ? "set the variable \(source.variable) to \(source.meaning)" : nil
            switch self {
            case .github: return variable.map { "\($0) (Settings, Secrets and variables, Actions, Variables)" }
            case .gitlab:
                let include = "add to .gitlab-ci.yml: include: [{ local: \(path ?? "") }]"
                return variable.map { "\(include); \($0) (Settings, CI/CD, Variables)" } ?? include
            case .none: return nil
            }
        }
    }

    /// The place where the workflow gets fetchbench from; without a URL, a CI variable has it.
    struct Source {
        let url: String?
        let variable: String
        fileprivate let meaning: String
        fileprivate let packages: String
        fileprivate let programs: String
        /// The name of the cache: building takes minutes.
        fileprivate let cacheKey: String
        /// Returns the shell commands that put fetchbench into a folder, which a cache may have filled already.
        fileprivate let commands: (_ folder: String) -> [String]

        static func repository(_ url: String?, tag: String) -> Source {
            Source(
                url: url, variable: "FETCHBENCH_REPOSITORY", meaning: "the URL of fetchbench's git repository",
                packages: "ca-certificates git make", programs: ".build/release", cacheKey: "fetchbench-\(tag)"
            ) { folder in
                [
                    "[ -e \"\(folder)/Makefile\" ] || git clone --depth 1 --branch \(ShellWord.pasted(tag)) "
                        + "\"$FETCHBENCH_REPOSITORY\" \"\(folder)\"",
                    "make -C \"\(folder)\" main-programs",
                ]
            }
        }

        static func tarball(_ url: String?) -> Source {
            let name = "fetchbench-\(BuildInformation.version)"
            return Source(
                url: url, variable: "FETCHBENCH_TARBALL", meaning: "the URL of \(name)-x86_64.tar.xz",
                packages: "ca-certificates curl xz-utils", programs: "bin", cacheKey: name
            ) { folder in
                [
                    "mkdir -p \"\(folder)\"",
                    "curl -fsSLO --output-dir /tmp \"$FETCHBENCH_TARBALL\"",
                    "(cd /tmp; curl -fsSL \"${FETCHBENCH_TARBALL%/*}/SHA256SUMS\" | sha256sum --check --strict --ignore-missing)",
                    "tar -xJf \"/tmp/${FETCHBENCH_TARBALL##*/}\" --strip-components=1 -C \"\(folder)\"",
                ]
            }
        }
    }
}
