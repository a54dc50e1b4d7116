import WireBase
import WireConfig
import WireService
import WireStore

/// The name this installation has at the metrics service: random, made once in an environment, and kept.
struct ClientID: Sendable {
    private let host: ServiceHost

    init(_ host: ServiceHost) { self.host = host }

    private static let namespace = "corewire/metrics"
    private var app: String { host.app?.id.text ?? "app" }
    private var key: String { "\(app)/\(host.environmentScope)" }

    /// Made where there is none.
    func find() async throws(Fault) -> String {
        let made: String
        do throws(StoreFailure) {
            if let kept = try kept() { return kept }
        } catch {
            throw Fault(error.reason, help: error.help)
        }
        made = try await DeviceAlias.new(in: host)
        do throws(StoreFailure) {
            do throws(StoreFailure) {
                let value = NewValue(Array(made.utf8), type: "text/plain")
                _ = try await host.stores.values.put(value, under: key, in: Self.namespace, if: .absent)
            } catch {
                // Another process was quicker.
                if error.kind != .conflict { throw error }
            }
            return try kept() ?? made
        } catch {
            throw Fault(error.reason, help: error.help)
        }
    }

    private func kept() throws(StoreFailure) -> String? {
        guard let entry = try host.stores.values.entry(key, in: Self.namespace) else { return nil }
        return String(validating: entry.bytes, as: UTF8.self)
    }

    /// Forgets it, in this environment or in all; how many there were.
    func forget(everywhere: Bool) async throws(Fault) -> Int {
        do throws(StoreFailure) {
            let store = host.stores.values
            if everywhere { return try await store.clear(Self.namespace, keysBeginning: "\(app)/") }
            return try await store.remove(key, in: Self.namespace, if: .always) ? 1 : 0
        } catch {
            throw Fault(error.reason, help: error.help)
        }
    }
}
