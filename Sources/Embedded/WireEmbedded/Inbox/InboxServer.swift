import WireBackends
import WireBase
import WireHTTP
import WireStore
import WireTelemetry

/// Accepts any request, and lists the requests: `POST /inbox/anything`, `GET /inbox`.
struct InboxServer: BuiltInServer {
    let inbox: Inbox
    let log: Log

    /// The largest body that is accepted.
    private static let limit = ByteCount.kibibytes(256)

    var segments: [String] { ["inbox"] }

    func signs(at address: String) -> [EndpointInfo] {
        [EndpointInfo(title: "Inbox: the requests sent to it, in order", places: ["\(address)/inbox"])]
    }

    func exchange(for head: Request) -> Exchange {
        let path = Array(head.target.segments.dropFirst())
        let inbox = inbox
        let isLook = head.method == .get || head.method == .head
        switch head.method {
        case .post, .put, .patch: return perform { try await inbox.receive($0) }
        case _ where isLook && path.count == 1 && Int(path[0]) != nil:
            let number = Int(path[0]) ?? 0
            return perform { _ in
                guard let response = try await inbox.show(number) else {
                    throw Problem(.notFound, "not-found", "no request has this number", detail: "\(number)")
                }
                return response
            }
        case .get, .head: return perform { try await inbox.list($0) }
        case .delete where path.allSatisfy(\.isEmpty): return perform { _ in try await inbox.clear() }
        default: return .refused(allowing: [.get, .head, .post, .put, .patch, .delete])
        }
    }

    private func perform(_ work: @escaping @Sendable (Request) async throws -> Response) -> Exchange {
        let log = log
        return Exchange(
            .collect(upTo: Self.limit) { request in
                .later {
                    do {
                        return try await work(request).keptByWhoAsked().guarded()
                    } catch let problem as Problem {
                        return problem.response.guarded()
                    } catch {
                        let reason = (error as? StoreFailure)?.reason ?? "\(error)"
                        log.error("the inbox failed", ["reason": .text(reason)])
                        return Problem(.unavailable, "unavailable", "the inbox cannot be used now", detail: "try again")
                            .response.guarded()
                    }
                }
            }
        )
    }
}
