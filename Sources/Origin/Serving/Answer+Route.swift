// SPDX-License-Identifier: Apache-2.0

import NIOHTTP1
package import Runs

extension Answer {
    /// Computes the answer from nothing but the request and these values.
    ///
    /// - Parameters:
    ///   - standard: The rate of requests that specify none.
    ///   - stored: The item of ``Route/needed``, or `nil` if it could not be made.
    ///   - received: The digest of the request's body so far.
    ///   - ledger: The counts so far, which include the visits of changing bodies.
    package init(
        to request: OriginRequest, _ route: Route, standard: TransferRate, stored: Representation?,
        received: BodyDigest = BodyDigest(), ledger: Ledger
    ) {
        do throws(Refusal) {
            let delivery = try Delivery(request, standard: standard)
            switch route {
            case .health:
                self = .response(ResponsePlan(status: .noContent))
            case .statistics:
                self = .observation(try ledger.statisticsJSON())
            case .requests(let path):
                self = try .requests(ledger.requests.filter { path == nil || $0.path == path }, to: request)
            case .computed(let body):
                let version = try delivery.version(of: body.body, for: request, ledger)
                self = .response(Representation(version).response(to: request, delivery))
            case .sink:
                var plan = ResponsePlan.small(.ok, type: "application/json", received.json)
                plan.delayMilliseconds = delivery.delayMilliseconds
                self = .response(plan)
            case .image, .manifest:
                guard delivery.changesAfter == nil else {
                    throw Refusal(.badRequest, "an image does not change; try /bytes/64MiB?changes-after=1")
                }
                guard let stored else { throw Refusal(.internalServerError, "the image could not be made") }
                self = .response(stored.response(to: request, delivery))
            case .fault(let fault):
                self = try fault.answer(delivery, hero: stored)
            case .negotiation(let negotiation):
                self = negotiation.answer(to: request, delivery)
            }
        } catch {
            self = .refusal(error)
        }
    }

    /// A JSON answer whose own bytes are not counted.
    private static func observation(_ json: [UInt8]) -> Answer {
        var plan = ResponsePlan.small(.ok, type: "application/json", json)
        plan.isCounted = false
        return .response(plan)
    }

    /// The log as JSON, encoded while it is sent because the whole could be too large to hold.
    private static func requests(_ records: [RequestRecord], to request: OriginRequest) throws(Refusal) -> Answer {
        var plan = ResponsePlan(status: .ok, headers: ["Content-Type": "application/json"])
        plan.content = ResponsePlan.Content { RequestsReader(records) }
        plan.isCounted = false
        if request.understandsChunked, request.method != .HEAD {
            plan.headers.add(name: "Transfer-Encoding", value: "chunked")
        } else {
            plan.headers.add(name: "Content-Length", value: "\(try RequestsReader(records).byteCount())")
        }
        return .response(plan)
    }

    package static func refusal(_ refusal: Refusal) -> Answer {
        let headers: HTTPHeaders = refusal.status == .methodNotAllowed ? ["Allow": refusal.allowedMethods] : [:]
        return .response(.text(refusal.status, refusal.text, headers: headers))
    }
}

extension Delivery {
    /// Returns the version of a body that this request gets; counts the request if the body changes.
    fileprivate func version(
        of body: any GeneratedBody, for request: OriginRequest, _ ledger: Ledger
    ) throws(Refusal) -> any GeneratedBody {
        guard let changesAfter else { return body }
        return try ledger.visits(to: request) > changesAfter ? body.changed : body
    }
}
