// SPDX-License-Identifier: Apache-2.0

import Runs

/// The service that a first workflow is for.
enum StarterService: String, CaseIterable {
    case github, gitlab, none

    /// Where its file goes, or `nil` where there is none.
    var path: String? {
        switch self {
        case .github: ".github/workflows/memory.yml"
        case .gitlab: "ci/fetchbench.gitlab-ci.yml"
        case .none: nil
        }
    }

    /// What else has to be done for it to run.
    func remark(hasTarball: Bool) -> String? {
        let variable = "set the variable \(StarterWorkflow.variable) to the URL of \(StarterWorkflow.tarball)"
        switch self {
        case .github: return hasTarball ? nil : "\(variable) (Settings, Secrets and variables, Actions, Variables)"
        case .gitlab:
            let include = "add to .gitlab-ci.yml: include: [{ local: \(path ?? "") }]"
            return hasTarball ? include : "\(include); \(variable) (Settings, CI/CD, Variables)"
        case .none: return nil
        }
    }
}

/// The text of a first workflow.
enum StarterWorkflow {
    /// The variable that says where to get fetchbench.
    static let variable = "FETCHBENCH_TARBALL"

    /// What it has to lead to.
    static var tarball: String { "fetchbench-\(BuildInformation.version)-x86_64.tar.xz" }

    /// Where a workflow stores what it measures: a repository may have runs of its own in the usual folder.
    private static let output = "fetchbench-results"

    private static let judging = StarterSubject.checkCommand + " --output " + output

    /// The workflow of a service, which judges a subject.
    /// - Parameter url: where fetchbench is to be had, or `nil` where a variable of the service says so.
    static func text(for service: StarterService, _ subject: StarterSubject, from url: String?) -> String? {
        switch service {
        case .github: github(subject, from: url)
        case .gitlab: gitlab(subject, from: url)
        case .none: nil
        }
    }

    /// What builds the programs that are measured, as far as it is known.
    private static func build(of subject: StarterSubject) -> String {
        subject.programs.contains { $0.hasPrefix(".build/release/") }
            ? "swift build -c release" : "echo 'build here what is measured'"
    }

    /// The image that can build them: the oldest that has the C library which fetchbench needs.
    private static func image(of subject: StarterSubject) -> String {
        subject.programs.isEmpty ? "debian:12" : "swift:6.3-bookworm"
    }

    private static func github(_ subject: StarterSubject, from url: String?) -> String {
        let container = subject.programs.isEmpty ? "" : "\n    container: \(image(of: subject))"
        let tools = subject.programs.isEmpty ? "" : "apt-get update && apt-get install -y curl xz-utils\n          "
        return """
            # Judges what fetching holds in memory, by the budgets of \(StarterSubject.suiteFile).
            name: memory
            on:
              pull_request:
              push:
                branches: [main]
            permissions:
              contents: read
            jobs:
              memory:
                runs-on: ubuntu-24.04\(container)
                timeout-minutes: 30
                steps:
                  - uses: actions/checkout@v4
                  - name: Get fetchbench
                    env:
                      TARBALL: \(url.map(quoted) ?? "${{ vars.\(variable) }}")
                    run: |
                      \(tools)mkdir -p "$RUNNER_TEMP/fetchbench" && cd "$RUNNER_TEMP"
                      curl -fsSLO "$TARBALL"
                      curl -fsSL "${TARBALL%/*}/SHA256SUMS" | sha256sum --check --strict --ignore-missing
                      tar -xJf "${TARBALL##*/}" --strip-components=1 -C fetchbench
                      echo "$RUNNER_TEMP/fetchbench/bin" >> "$GITHUB_PATH"
                  - name: Build
                    run: \(build(of: subject))
                  - name: Judge
                    run: \(judging)
                  - name: Keep the report, red or green
                    if: always()
                    uses: actions/upload-artifact@v4
                    with:
                      name: memory
                      path: \(output)/

            """
    }

    private static func gitlab(_ subject: StarterSubject, from url: String?) -> String {
        let place = url.map { "\n  variables:\n    \(variable): \(quoted($0))" } ?? ""
        return """
            # Judges what fetching holds in memory, by the budgets of \(StarterSubject.suiteFile).
            memory:
              image: \(image(of: subject))\(place)
              script:
                - apt-get update && apt-get install -y ca-certificates curl xz-utils
                - mkdir -p /opt/fetchbench
                - curl -fsSLO --output-dir /opt "$\(variable)"
                - cd /opt; curl -fsSL "${\(variable)%/*}/SHA256SUMS" | sha256sum --check --strict --ignore-missing; cd -
                - tar -xJf "/opt/${\(variable)##*/}" --strip-components=1 -C /opt/fetchbench
                - export PATH="/opt/fetchbench/bin:$PATH"
                - \(build(of: subject))
                - status=0; \(judging) || status=$?
                - fetchbench report "$(dirname \(output)/*/judgement.json)" --format openmetrics > metrics.txt || true
                - exit $status
              artifacts:
                when: always
                paths: [\(output)/]
                reports:
                  junit: \(output)/*/junit.xml
                  metrics: metrics.txt

            """
    }

    private static func quoted(_ text: String) -> String {
        "'" + text.replacing("'", with: "''") + "'"
    }
}
