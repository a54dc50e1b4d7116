package import WireBase
import WireConfig
import WireSecrets
package import WireService
package import WireStore

/// The generated name of a device without one in the file; created once per environment and stored.
///
/// Created on first use by any service, so that none has to wait for the device service.
package enum DeviceAlias {
    /// A namespace that apps cannot use.
    package static let namespace = "corewire/device"

    private static func key(_ host: UsingHost<some ServiceUses>) -> String { "\(host.environmentScope)/alias" }

    private static func value(_ alias: String) -> NewValue { NewValue(Array(alias.utf8), type: "text/plain") }

    /// The stored name in the environment; created where there is none.
    package static func find(in host: UsingHost<some ServiceUses>) async throws(StoreFailure) -> String {
        if let declared = host.find(.declaredAlias)?.alias() { return declared }
        let bytes = try await host.stores.device.values.bytes(key(host), in: namespace) { () throws(StoreFailure) in
            value(try made(in: host))
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Stores another name.
    package static func keep(_ alias: String, in host: UsingHost<some ServiceUses>) async throws(StoreFailure) {
        _ = try await host.stores.device.values.put(value(alias), under: key(host), in: namespace, if: .always)
    }

    /// Removes the records of the device in one or all environments; returns their number.
    @discardableResult
    package static func forget(in host: UsingHost<some ServiceUses>, everywhere: Bool, with eraser: Eraser)
        async throws(Fault) -> Int
    {
        let prefix = everywhere ? "" : "\(host.environmentScope)/"
        return try await Fault.wrapping { () async throws(StoreFailure) in
            try await eraser.clear(namespace, keysBeginning: prefix)
        }
    }

    /// Makes a new random name.
    package static func new(in host: UsingHost<some ServiceUses>) throws(Fault) -> String {
        try Fault.wrapping { () throws(StoreFailure) in try made(in: host) }
    }

    /// Makes a random UUID (RFC 9562, version 4).
    package static func made(in host: UsingHost<some ServiceUses>) throws(StoreFailure) -> String {
        guard let random = try? host.find(.secrecy)?.random(16), random.count == 16 else {
            throw StoreFailure(.other, "cannot make a name for the device: no randomness available")
        }
        var bytes = random
        bytes[6] = bytes[6] & 0x0f | 0x40
        bytes[8] = bytes[8] & 0x3f | 0x80
        return UUIDText.text(of: bytes)
    }
}

/// The name of the device in the file of a generation; nil where it has none.
package struct DeclaredAlias: Sendable {
    package let alias: @Sendable () -> String?

    package init(_ alias: @escaping @Sendable () -> String?) { self.alias = alias }
}

extension Ability where Value == DeclaredAlias {
    package static var declaredAlias: Ability<DeclaredAlias> { Ability(Provision(.runner, "declared alias")) }
}
