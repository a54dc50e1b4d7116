import Synchronization
import WireBackendContract
import WireBase
import WireConfig

/// Push servers built in, as far as notifications see them.
final class ScriptedEmbedded: EmbeddedPushing {
    private let stream: AsyncStream<CarriedPush>
    private let continuation: AsyncStream<CarriedPush>.Continuation
    private let state = Mutex<[String]>([])

    init() { (stream, continuation) = AsyncStream.makeStream() }

    var taken: [String] { state.withLock { $0 } }

    func send(_ id: String, _ payload: String) {
        let json = (try? JSONValue(parsing: Array(payload.utf8), named: "payload")) ?? .null
        continuation.yield(CarriedPush(id: id, provider: "apns", token: "t", payload: json))
    }

    func unifiedPush(_ registrar: String, admitting variant: String, secret: Secret<String>) -> String { "" }
    func altcraft(_ registrar: String, admitting roleToken: Secret<String>?, webPush: String?) -> String { "" }
    func healthCloud(_ registrar: String, at path: String, header: String, key: Secret<String>) {}
    func halo(_ registrar: String) {}
    func autopush() -> String? { nil }
    func pushes() -> AsyncStream<CarriedPush> { stream }
    func acknowledge(_ id: String) async { state.withLock { $0.append(id) } }
}
