// SPDX-License-Identifier: Apache-2.0
// What a main is shown beside: a mode of somebody's own.
import TrialKit

struct MyMode: FetchMode {
    let name = "mine"
    let summary = "mine"
    func makeFetcher(_ settings: FetchSettings) throws(FetchFailure) -> any Fetcher { throw .cancelled }
}

//BLOCK
