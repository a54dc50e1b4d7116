import WireBase
import WireConfig
import WireSecrets
package import WireStore

/// The name a device is known by where the file gives it none: made once in an environment, and kept.
///
/// Whoever needs it first makes it, so that nobody waits for the service that keeps the device.
package enum DeviceAlias {
    /// No name that apps can reach begins so.
    package static let namespace = "corewire/device"

    /// The name in an environment, as it is kept; nil where none was made.
    package static func kept(in store: any KeyValueStore, scope: String) throws(StoreFailure) -> String? {
        guard let entry = try store.entry("\(scope)/alias", in: namespace) else { return nil }
        return String(validating: entry.bytes, as: UTF8.self)
    }

    /// The same, made where there is none.
    package static func find(in host: ServiceHost) async throws(Fault) -> String {
        if let declared = host.find(.declaredAlias)?.alias() { return declared }
        do throws(StoreFailure) {
            let (store, scope) = (host.stores.values, host.environmentScope)
            if let kept = try kept(in: store, scope: scope) { return kept }
            let made = try name(host)
            try await keep(made, in: store, scope: scope, if: .absent)
            // Another process may have been quicker.
            return try kept(in: store, scope: scope) ?? made
        } catch {
            throw Fault(error.reason, help: error.help)
        }
    }

    /// Keeps another name.
    package static func keep(
        _ alias: String,
        in store: any KeyValueStore,
        scope: String,
        if condition: StoreCondition = .always
    ) async throws(StoreFailure) {
        do throws(StoreFailure) {
            let value = NewValue(Array(alias.utf8), type: "text/plain")
            _ = try await store.put(value, under: "\(scope)/alias", in: namespace, if: condition)
        } catch {
            if error.kind != .conflict { throw error }
        }
    }

    /// Forgets the name, in the environment or in all, where no service keeps the device with it.
    package static func forget(in host: ServiceHost, everywhere: Bool) async throws(Fault) {
        guard host.find(.device) == nil else { return }
        do throws(StoreFailure) {
            let prefix = everywhere ? "" : "\(host.environmentScope)/"
            _ = try await host.stores.values.clear(namespace, keysBeginning: prefix)
        } catch {
            throw Fault(error.reason, help: error.help)
        }
    }

    /// A name that the device never had.
    package static func new(in host: ServiceHost) async throws(Fault) -> String {
        do throws(StoreFailure) {
            return try name(host)
        } catch {
            throw Fault(error.reason, help: error.help)
        }
    }

    /// A UUID of random digits (RFC 9562, version 4).
    private static func name(_ host: ServiceHost) throws(StoreFailure) -> String {
        guard let random = try? host.find(.secrecy)?.random(16), random.count == 16 else {
            throw StoreFailure(.other, "no name can be made for the device, since there is nothing random here")
        }
        var bytes = random
        bytes[6] = bytes[6] & 0x0f | 0x40
        bytes[8] = bytes[8] & 0x3f | 0x80
        return UUIDText.text(of: bytes)
    }
}

/// The name that the file of a generation gives the device; nil where it gives none.
package struct DeclaredAlias: Sendable {
    package let alias: @Sendable () -> String?

    package init(_ alias: @escaping @Sendable () -> String?) { self.alias = alias }
}

extension Ability where Value == DeclaredAlias {
    package static var declaredAlias: Ability<DeclaredAlias> { Ability(Provision(.runner, "declared alias")) }
}
