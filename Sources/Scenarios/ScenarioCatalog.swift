// SPDX-License-Identifier: Apache-2.0

package import TrialKit

/// The scenarios that every trial program of this project can play.
///
/// A new one is a folder of its own and a line here.
package enum ScenarioCatalog {
    /// The scenarios, in the order of `fetchbench list`.
    package static let all: [any Scenario] = [
        RepeatScenario(), GalleryScenario(), CacheScenario(), CoalesceScenario(), ResumeScenario(),
        ConcurrencyScenario(), ProxyScenario(),
    ]
}
