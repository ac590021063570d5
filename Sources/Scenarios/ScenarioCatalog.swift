// SPDX-License-Identifier: Apache-2.0

package import TrialKit

/// The scenarios of this project's trial programs beside the ``CommonScenarios``.
///
/// A new one needs its own folder and a line here.
package enum ScenarioCatalog {
    /// The scenarios, in the order of `fetchbench list`.
    package static let all: [any Scenario] = [
        GalleryScenario(), CacheScenario(), CoalesceScenario(), ResumeScenario(),
    ]
}
