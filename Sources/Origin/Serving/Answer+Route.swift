// SPDX-License-Identifier: Apache-2.0

import NIOHTTP1
package import Runs

extension Answer {
    /// The answer to a request: a function of the request and of what is given, and of nothing else.
    ///
    /// - Parameters:
    ///   - standard: The rate of what asks for none.
    ///   - stored: What ``Route/needed`` names, or `nil` where it could not be made.
    ///   - received: What is known of the request's body.
    ///   - ledger: What has been served so far.
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
            }
        } catch {
            self = .refusal(error)
        }
    }

    /// A count in JSON, whose bytes are not counted themselves.
    private static func observation(_ json: [UInt8]) -> Answer {
        var plan = ResponsePlan.small(.ok, type: "application/json", json)
        plan.isCounted = false
        return .response(plan)
    }

    /// The log in JSON, made while it is sent: whole it may be more than the origin should hold.
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

    /// The answer to a request that gets no asset.
    package static func refusal(_ refusal: Refusal) -> Answer {
        let headers: HTTPHeaders = refusal.status == .methodNotAllowed ? ["Allow": refusal.allowedMethods] : [:]
        return .response(.text(refusal.status, refusal.text, headers: headers))
    }
}

extension Delivery {
    /// The version of a body that this request gets; counts the request where that matters.
    fileprivate func version(
        of body: any GeneratedBody, for request: OriginRequest, _ ledger: Ledger
    ) throws(Refusal) -> any GeneratedBody {
        guard let changesAfter else { return body }
        return try ledger.visits(to: request) > changesAfter ? body.changed : body
    }
}
