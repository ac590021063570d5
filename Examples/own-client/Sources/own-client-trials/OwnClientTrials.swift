// SPDX-License-Identifier: Apache-2.0

import TrialKit

/// The trial program: `fetchbench --program .build/release/own-client-trials` measures what it lists.
@main
enum OwnClientTrials {
    static func main() async {
        await TrialProgram.run(modes: [LoadMode(), StreamMode()], renderModels: [HistogramModel()])
    }
}
