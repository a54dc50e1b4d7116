import WireBase
import WireConfig
import WireDeviceContract
import WireService
import WireStore

/// The name this installation has at the metrics service: random, made once in an environment, and kept.
struct ClientID: Sendable {
    private let host: MetricsHost

    init(_ host: MetricsHost) { self.host = host }

    private static let namespace = "corewire/metrics"
    private var app: String { host.app?.id.text ?? "app" }
    private var key: String { "\(app)/\(host.environmentScope)" }

    /// Made where there is none.
    func find() async throws(Fault) -> String {
        try await Fault.wrapping { () async throws(StoreFailure) in
            let bytes = try await host.stores.values.bytes(key, in: Self.namespace) { () throws(StoreFailure) in
                NewValue(Array(try DeviceAlias.made(in: host).utf8), type: "text/plain")
            }
            return String(decoding: bytes, as: UTF8.self)
        }
    }

    /// Forgets it, in this environment or in all; how many there were.
    func forget(everywhere: Bool) async throws(Fault) -> Int {
        try await Fault.wrapping { () async throws(StoreFailure) in
            let store = host.stores.values
            if everywhere { return try await store.clear(Self.namespace, keysBeginning: "\(app)/") }
            return try await store.remove(key, in: Self.namespace, if: .always) ? 1 : 0
        }
    }
}
