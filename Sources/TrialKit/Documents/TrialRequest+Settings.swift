// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

extension TrialRequest {
    /// Returns the settings with the details of requests for the target, whose body is read now.
    /// - Throws: ``FetchFailure`` if the body cannot be read.
    func fetchSettings(for target: URL) throws(FetchFailure) -> FetchSettings {
        var settings = fetchSettings
        settings.target = try TargetRequest.of(details, for: target)
        return settings
    }

    var fetchSettings: FetchSettings {
        let conditions = conditions ?? .standard
        var settings = FetchSettings(verification: verification, idleTimeoutSeconds: idleTimeoutSeconds)
        settings.consumerDelayNanoseconds = conditions.consumerDelayNanoseconds
        settings.session = conditions.session
        settings.maximumConnectionsPerHost = maximumConnections
        settings.acceptsGzip = conditions.transfer == .gzip
        settings.http = conditions.http
        settings.certificateAuthorityPath = certificateAuthorityPath
        settings.rendering = rendering
        return settings
    }
}
