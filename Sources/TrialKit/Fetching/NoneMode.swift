// SPDX-License-Identifier: Apache-2.0

/// Fetches nothing: its trials show the floor of the method.
package struct NoneMode: FetchMode {
    package let name = "none"
    package let summary = "no fetch at all: the floor of the method, in every plan"
    package let yieldsBody = false
    package let abilities: Set<ModeAbility> = []
    package let settles = false

    package init() {}

    package func makeFetcher(_ settings: FetchSettings) -> any Fetcher {
        NoFetcher()
    }
}

private final class NoFetcher: Fetcher {
    func fetch(_ request: FetchRequest) async -> FetchedBody { .nothing }

    func invalidate() async {}
}
