import WireBackends
import WireBase
import WireConfig
import WireHTTP
import WireStore
import WireTelemetry

/// The API of Altcraft's mobile SDKs below `/altcraft`, and corewire's own operation for sending.
struct AltcraftServer: Sendable {
    let context: PushRequestContext

    typealias Work = @Sendable (Request) async throws -> Response

    func exchange(for head: Request, _ path: [String]) -> Exchange {
        let path = path.last == "" ? Array(path.dropLast()) : path
        guard let (method, work) = endpoint(path) else {
            return Exchange(.answer(EmbeddedError.altcraft(.notFound, "unknown method").response.guarded()))
        }
        guard head.method == method else { return .refused(allowing: [method]) }
        return Exchange(
            .collect(upTo: .kibibytes(512)) { request in
                .later { await perform(work, request).guarded() }
            }
        )
    }

    private func perform(_ work: Work, _ request: Request) async -> Response {
        do {
            return try await work(request)
        } catch let error as EmbeddedError {
            return error.response
        } catch let problem as Problem {
            return EmbeddedError.altcraft(problem).response
        } catch let failure as StoreFailure where failure.kind == .full {
            return EmbeddedError.altcraftFull.response
        } catch {
            let reason = (error as? StoreFailure)?.reason ?? "\(error)"
            context.log.error(
                "the push platform failed",
                ["path": .text(request.target.path), "reason": .text(reason)]
            )
            return EmbeddedError.altcraft(.internalError, "the platform failed; try again").response
        }
    }

    // MARK: Routes

    private func endpoint(_ path: [String]) -> (Method, Work)? {
        let subscriptions = AltcraftSubscriptions(context: context)
        let events = AltcraftEvents(context: context)
        switch path {
        case ["subscription", "push", "subscribe"]: return (.post, once { try await subscriptions.subscribe($0, $1) })
        case ["subscription", "push", "update"]: return (.post, once { try await subscriptions.update($0, $1) })
        case ["subscription", "push", "unsuspend"]: return (.post, once { try await subscriptions.unsuspend($0, $1) })
        case ["subscription", "push", "status"]: return (.get, { try await subscriptions.status($0) })
        case ["profile", "update"]: return (.post, once { try await subscriptions.updateProfile($0, $1) })
        case ["event", "post"]: return (.post, once { try await events.mobile($0, $1) })
        case ["event", "push", "delivery"]: return (.post, once { try await events.push(.delivery, $0, $1) })
        case ["event", "push", "open"]: return (.post, once { try await events.push(.open, $0, $1) })
        case ["corewire", "send"]:
            let sender = AltcraftSender(context: context)
            return (
                .post,
                { request in
                    let sent = try await sender.send(request)
                    return .json(
                        .members([
                            "error": .integer(0), "error_text": .string(""), "uid": .string(sent.id),
                            "devices": .integer(sent.devices),
                        ]),
                        status: .accepted
                    )
                }
            )
        default: return nil
        }
    }

    private func once(_ work: @escaping @Sendable (Request, AltcraftCaller) async throws -> Response) -> Work {
        let context = context
        return { request in
            let caller = try await AltcraftCaller(request, context)
            if let id = request.fields["Request-ID"], !(1...PushRequestContext.longestID).contains(id.utf8.count) {
                throw EmbeddedError.altcraft(
                    .badRequest,
                    "Request-ID: expected 1 to \(PushRequestContext.longestID) bytes"
                )
            }
            return try await context.once(request, by: "altcraft \(caller.matching?.profile ?? "role")") {
                try await context.line.alone { try await work(request, caller) }
            }
        }
    }
}

extension Request {
    /// A body whose media type is JSON.
    func altcraftJSON<Value>(_ read: (inout JSONMembers) throws(Problem) -> Value) throws -> Value {
        guard let type = fields["Content-Type"].flatMap(MediaType.init(parsing:)),
            type.isCovered(by: "application/json")
        else { throw EmbeddedError.altcraft(.unsupportedMediaType, "expected a body of type application/json") }
        return try json(read)
    }

    /// Reads the query parameter `sync` in the forms of both SDKs.
    func isSync() throws -> Bool {
        switch try queryText("sync") {
        case nil, "0", "false": return false
        case "1", "true": return true
        case let text?:
            throw EmbeddedError.altcraft(.badRequest, "sync: found \(text.quoted), expected 0, 1, true or false")
        }
    }

    func altcraftProvider(_ admitted: PushAdmissions.Admitted) throws -> String? {
        guard let text = try queryText("provider") else { return nil }
        return try AltcraftProvider.checked(text, "provider", admitted)
    }
}

extension AltcraftProvider {
    static func checked(
        _ text: String,
        _ place: String,
        _ admitted: PushAdmissions.Admitted
    ) throws(EmbeddedError) -> String {
        if AltcraftProvider(text, in: admitted) != nil { return text }
        throw EmbeddedError.altcraft(
            .badRequest,
            "\(place): found \(text.quoted), expected \(AltcraftProvider.all(in: admitted).map(\.name).listed())"
        )
    }

    static func checkedToken(_ text: String, _ place: String) throws(EmbeddedError) -> String {
        guard (1...4_096).contains(text.utf8.count), text.utf8.allSatisfy(\.isVisible) else {
            throw EmbeddedError.altcraft(.badRequest, "\(place): expected a token of 1 to 4096 visible letters")
        }
        return text
    }
}
