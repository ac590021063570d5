// SPDX-License-Identifier: Apache-2.0

import Runs

/// A CI service for which `init` writes a workflow.
enum StarterService: String, CaseIterable {
    case github, gitlab, none

    /// The path of the workflow file, or `nil` if there is none.
    var path: String? {
        switch self {
        case .github: ".github/workflows/memory.yml"
        case .gitlab: "ci/fetchbench.gitlab-ci.yml"
        case .none: nil
        }
    }

    /// The remaining manual step, if any.
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

/// The workflow that `init` writes.
enum StarterWorkflow {
    /// The CI variable with the URL of fetchbench's tarball.
    static let variable = "FETCHBENCH_TARBALL"

    /// The file name of that tarball.
    static var tarball: String { "fetchbench-\(BuildInformation.version)-x86_64.tar.xz" }

    /// The folder for the workflow's runs: a repository may have runs of its own in the usual one.
    private static let output = "fetchbench-results"

    private static let judging = StarterSubject.checkCommand + " --output " + output

    /// Returns the workflow of a service that judges a subject.
    /// - Parameter url: The URL of the tarball, or `nil` to take it from the variable.
    static func text(for service: StarterService, _ subject: StarterSubject, from url: String?) -> String? {
        switch service {
        case .github: github(subject, from: url)
        case .gitlab: gitlab(subject, from: url)
        case .none: nil
        }
    }

    /// The command that builds the measured programs, or a placeholder.
    private static func build(of subject: StarterSubject) -> String {
        subject.programs.contains { $0.hasPrefix(".build/release/") }
            ? "swift build -c release" : "echo 'build your program here'"
    }

    /// The image to build them in: the oldest with the C library that fetchbench needs.
    private static func image(of subject: StarterSubject) -> String {
        subject.programs.isEmpty ? "debian:12" : "swift:6.3-bookworm"
    }

    private static func github(_ subject: StarterSubject, from url: String?) -> String {
        let container = subject.programs.isEmpty ? "" : "\n    container: \(image(of: subject))"
        let tools = subject.programs.isEmpty ? "" : "apt-get update && apt-get install -y curl xz-utils\n          "
        return """
            # Checks memory against the budgets of \(StarterSubject.suiteFile).
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
                      TARBALL: \(url.map(StarterSuite.quoted) ?? "${{ vars.\(variable) }}")
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
        let place = url.map { "\n  variables:\n    \(variable): \(StarterSuite.quoted($0))" } ?? ""
        return """
            # Checks memory against the budgets of \(StarterSubject.suiteFile).
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
}
