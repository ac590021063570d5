// SPDX-License-Identifier: Apache-2.0

import AsyncHTTPClient
import Foundation
import NIOCore

extension ProbeCatalog {
    /// Defaults of async-http-client.
    static let clientDefaults = [
        Probe("get-limit-ahc") { context in
            let response = try await HTTPClient.shared.get(url: context.url("/bytes/64MiB").absoluteString).get()
            context.report("delivered", response.body?.readableBytes ?? 0)
        },
        Probe("accumulator-limit-ahc") { context in
            let request = try HTTPClient.Request(url: context.url("/bytes/64MiB").absoluteString)
            let accumulator = ResponseAccumulator(request: request, maxBodySize: 1 << 20)
            do {
                let response = try await HTTPClient.shared.execute(request: request, delegate: accumulator).get()
                context.report("delivered", response.body?.readableBytes ?? 0)
            } catch is ResponseAccumulator.ResponseTooBigError {
                context.report("error", "ResponseTooBigError")
            }
        },
        Probe("redirects-default-ahc") { context in
            let response = try await HTTPClient.shared.get(url: context.url("/faults/redirect/3").absoluteString).get()
            context.report("delivered", response.body?.readableBytes ?? 0)
        },
    ]
}
