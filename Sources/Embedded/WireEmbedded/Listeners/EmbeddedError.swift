import WireBase
import WireHTTP
import WireStore
import WireTelemetry

/// An error response of an embedded server, in the words of the emulated one.
struct EmbeddedError: Error, Sendable {
    let reason: String
    let response: Response

    init(_ reason: String, _ response: Response) { (self.reason, self.response) = (reason, response) }
}

extension Exchange {
    /// Collects the body and performs the work of an embedded server; an error that is none of the emulated server's own
    /// is logged and answered with a failure.
    static func embedded(
        _ server: String,
        _ log: Log,
        upTo limit: ByteCount,
        failure: @escaping @Sendable (any Error) -> EmbeddedError,
        _ work: @escaping @Sendable (Request) async throws -> Response
    ) -> Exchange {
        Exchange(
            .collect(upTo: limit) { request in
                .later {
                    do {
                        return try await work(request).guarded()
                    } catch let error as EmbeddedError {
                        return error.response.guarded()
                    } catch {
                        let reason = (error as? StoreFailure)?.reason ?? "\(error)"
                        log.error("an embedded server failed", ["server": .text(server), "reason": .text(reason)])
                        return failure(error).response.guarded()
                    }
                }
            }
        )
    }
}
