// SPDX-License-Identifier: Apache-2.0

package import Runs

/// One trial of a session that is to be done, and where it stands.
package struct SessionStep: Hashable, Sendable {
    /// What is measured.
    package var slot: Plan.Slot
    /// On which side of a pair and for what; `nil` in a run.
    package var pairing: Pairing?
    /// Which one it is, from 1, of those that are known to come.
    package var position: Int
    /// How many are known to come: all of a run, those of a stage of a comparison.
    package var count: Int
}

/// What happens while trials are done; whoever shows progress listens.
package enum SessionEvent: Sendable {
    /// A run begins that only warms up.
    case warmsUp(SessionStep)
    /// A trial begins.
    case began(SessionStep)
    /// A trial ended and is stored.
    case ended(Trial, SessionStep)
}
