// SPDX-License-Identifier: Apache-2.0

import OperatingSystem
import Origin
import Runs

/// The text of any error for users.
enum Explanation {
    static func text(of error: any Error) -> String {
        switch error {
        case let error as FetchBenchError: error.explanation
        case let failure as FileFailure: FetchBenchError.file(failure).explanation
        case let error as AssetError: "an asset cannot be prepared: \(error)"
        default: "\(error)"
        }
    }
}
