// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

extension TrialRequest {
    /// The same with what requests for the target carry, whose body is read now.
    /// - Throws: ``FetchFailure`` where the body is not there any more.
    func fetchSettings(for target: URL) throws(FetchFailure) -> FetchSettings {
        var settings = fetchSettings
        settings.target = try TargetRequest.of(details, for: target)
        return settings
    }

    /// What the mode may know of the trial.
    var fetchSettings: FetchSettings {
        let conditions = conditions ?? .standard
        var settings = FetchSettings(verification: verification, idleTimeoutSeconds: idleTimeoutSeconds)
        settings.consumerDelayNanoseconds = conditions.consumerDelayNanoseconds
        settings.session = conditions.session
        settings.maximumConnectionsPerHost = maximumConnections
        settings.acceptsGzip = conditions.transfer == .gzip
        settings.certificateAuthorityPath = certificateAuthorityPath
        settings.rendering = rendering
        return settings
    }
}
