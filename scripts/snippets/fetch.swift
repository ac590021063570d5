// SPDX-License-Identifier: Apache-2.0
// The body of Fetcher.fetch, with what its class has.
import TrialKit

func fetch(
    _ request: FetchRequest, _ settings: FetchSettings, _ delay: ConsumerDelay, _ pieces: [UnsafeRawBufferPointer]
) async throws(FetchFailure) -> FetchedBody {
    //BLOCK
}
