// SPDX-License-Identifier: Apache-2.0

import TrialKit

struct RawDropMode: FetchMode {
    let name = "raw-drop"
    let summary = "a socket and one 64 KiB buffer: hashed and dropped; raw without its file"
    let caveat: String? = "leaves nothing to render; otherwise as raw: plain http only, follows no redirects"
    let schemes: Set<String> = ["http"]
    let yieldsBody = false
    let abilities: Set<ModeAbility> = [.slowConsumer, .cancellation, .requestDetails]
    let hashesOnTheWay = true

    func makeFetcher(_ settings: FetchSettings) -> any Fetcher {
        RawFetcher(mode: name, keepsBody: false, settings)
    }
}
