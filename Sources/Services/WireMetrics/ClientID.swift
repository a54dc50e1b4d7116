import WireBase
import WireConfig
import WireDeviceContract
import WireService
import WireStore

/// The random id of this installation at the metrics service, generated once in an environment.
struct ClientID: Sendable {
    private let host: MetricsHost

    init(_ host: MetricsHost) { self.host = host }

    private static let namespace = "corewire/metrics"
    private var app: String { host.app?.id.text ?? "app" }
    private var key: String { "\(app)/\(host.environmentScope)" }

    /// Returns the id, and generates it where there is none.
    func find() async throws(Fault) -> String {
        try await Fault.wrapping { () async throws(StoreFailure) in
            let bytes = try await host.stores.device.values.bytes(key, in: Self.namespace) { () throws(StoreFailure) in
                NewValue(Array(try DeviceAlias.made(in: host).utf8), type: "text/plain")
            }
            return String(decoding: bytes, as: UTF8.self)
        }
    }

    /// Removes the id of this environment or of all; returns the number of removed ids.
    func forget(everywhere: Bool, with eraser: Eraser) async throws(Fault) -> Int {
        try await Fault.wrapping { () async throws(StoreFailure) in
            if everywhere { return try await eraser.clear(Self.namespace, keysBeginning: "\(app)/") }
            return try await eraser.remove(key, in: Self.namespace) ? 1 : 0
        }
    }
}
