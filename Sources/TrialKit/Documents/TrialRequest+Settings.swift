// SPDX-License-Identifier: Apache-2.0

extension TrialRequest {
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
