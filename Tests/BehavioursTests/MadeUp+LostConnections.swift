// SPDX-License-Identifier: Apache-2.0

import Behaviours
import Origin
import ProbeProtocol

extension MadeUp {
    static let lostConnections = [
        MadeUp("get-kept-connection", holds: lost(2, whole: 2, "0"), breaks: lost(1, whole: 1, "-1005")),
        MadeUp("post-kept-connection", holds: lost(1, whole: 1, "-1005"), breaks: lost(2, whole: 1, "-1001")),
        MadeUp("post-new-session", holds: lost(1, whole: 1, "0"), breaks: lost(2, whole: 1, "-1001")),
    ]

    private static func lost(_ heads: Int, whole: Int, _ error: String) -> Evidence {
        Evidence(
            requests: [.seen()],
            facts: [
                Fact("kept-error", "0"), Fact("lost-error", error), Fact("heads", "\(heads)"),
                Fact("whole", "\(whole)"), Fact("other-error", "0"),
            ])
    }
}
