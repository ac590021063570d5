// SPDX-License-Identifier: Apache-2.0
// A server with the four routes of which people ask what one request costs.

import AsyncHTTPClient
import Foundation
import FoundationNetworking
import Hummingbird

@main
struct Server {
    static func main() async throws {
        guard CommandLine.arguments.count > 2, let port = Int(CommandLine.arguments[1]) else {
            FileHandle.standardError.write(Data("usage: server PORT FOLDER [UPSTREAM]\n".utf8))
            exit(64)
        }
        let (folder, upstream) = (CommandLine.arguments[2], CommandLine.arguments.dropFirst(3).first ?? "")
        let router = Router()
        router.get("file/{name}") { try await file(folder + "/" + $1.parameters.require("name"), $1) }
        router.post("collected") { request, _ in try await collected(request) }
        router.post("counted") { request, _ in try await counted(request) }
        router.get("stream/{size}") { try await stream(upstream + "/" + $1.parameters.require("size")) }
        router.get("data/{size}") { try await data(upstream + "/" + $1.parameters.require("size")) }
        try await Application(router: router, configuration: .init(address: .hostname("127.0.0.1", port: port)))
            .runService()
    }
}

/// A file, piece by piece.
func file(_ path: String, _ context: some RequestContext) async throws -> Response {
    Response(status: .ok, body: try await FileIO().loadFile(path: path, context: context))
}

/// An upload that is held as a whole before anything is done with it.
func collected(_ request: Request) async throws -> String {
    let body = try await request.body.collect(upTo: 1 << 30)
    return "\(body.readableBytes)"
}

/// An upload that is worked on piece by piece.
func counted(_ request: Request) async throws -> String {
    var count = 0
    for try await piece in request.body { count += piece.readableBytes }
    return "\(count)"
}

/// An upstream's answer, passed on as it comes.
func stream(_ url: String) async throws -> Response {
    let answer = try await HTTPClient.shared.execute(HTTPClientRequest(url: url), timeout: .minutes(5))
    return Response(status: .ok, body: ResponseBody(asyncSequence: answer.body))
}

/// An upstream's answer, held as a whole by URLSession and copied to what the server sends.
func data(_ url: String) async throws -> Response {
    guard let url = URL(string: url) else { throw HTTPError(.badRequest) }
    let (data, _) = try await URLSession.shared.data(from: url)
    return Response(status: .ok, body: ResponseBody(byteBuffer: ByteBuffer(bytes: data)))
}
