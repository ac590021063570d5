// SPDX-License-Identifier: Apache-2.0
// The context of a main function: a user's own mode.
import TrialKit

struct MyMode: FetchMode {
    let name = "mine"
    let summary = "mine"
    func makeFetcher(_ settings: FetchSettings) throws(FetchFailure) -> any Fetcher { throw .cancelled }
}

//BLOCK
