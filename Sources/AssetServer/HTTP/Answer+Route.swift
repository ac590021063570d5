// SPDX-License-Identifier: Apache-2.0

import NIOHTTP1

extension Answer {
    /// The answer to a request: a function of the request and of what is given, and of nothing else.
    ///
    /// - Parameters:
    ///   - standard: The rate of what asks for none.
    ///   - hero: The image that ``Route/neededImage`` names, or `nil` where it could not be made.
    ///   - statistics: The JSON of `/stats`.
    package init(
        to request: OriginRequest, _ route: Route, standard: TransferRate, hero: Representation?,
        statistics: () throws(Refusal) -> [UInt8]
    ) {
        do throws(Refusal) {
            let delivery = try Delivery(request, standard: standard)
            switch route {
            case .health:
                self = .response(ResponsePlan(status: .noContent))
            case .statistics:
                var plan = ResponsePlan.small(.ok, type: "application/json", try statistics())
                plan.isCounted = false
                self = .response(plan)
            case .generated(let body):
                self = .response(Representation(body).response(to: request, delivery))
            case .hero:
                guard let hero else { throw Refusal(.internalServerError, "the image could not be made") }
                self = .response(hero.response(to: request, delivery))
            case .fault(let fault):
                self = try fault.answer(delivery, hero: hero)
            }
        } catch {
            self = .refusal(error)
        }
    }

    /// The answer to a request that gets no asset.
    package static func refusal(_ refusal: Refusal) -> Answer {
        let headers: HTTPHeaders = refusal.status == .methodNotAllowed ? ["Allow": "GET, HEAD"] : [:]
        return .response(.text(refusal.status, refusal.text, headers: headers))
    }
}
