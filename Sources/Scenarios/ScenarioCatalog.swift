// SPDX-License-Identifier: Apache-2.0

package import TrialKit

/// The scenarios that the trial programs of this project play besides those of every program (``CommonScenarios``).
///
/// A new one is a folder of its own and a line here.
package enum ScenarioCatalog {
    /// The scenarios, in the order of `fetchbench list`.
    package static let all: [any Scenario] = [
        GalleryScenario(), CacheScenario(), CoalesceScenario(), ResumeScenario(),
    ]
}
