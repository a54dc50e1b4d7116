package import WireBase
import WireConfig
import WireSecrets
package import WireService
package import WireStore

/// The name a device is known by where the file gives it none: made once in an environment, and kept.
///
/// Whoever needs it first makes it, so that nobody waits for the service that keeps the device.
package enum DeviceAlias {
    /// No name that apps can reach begins so.
    package static let namespace = "corewire/device"

    private static func key(_ host: UsingHost<some ServiceUses>) -> String { "\(host.environmentScope)/alias" }

    private static func value(_ alias: String) -> NewValue { NewValue(Array(alias.utf8), type: "text/plain") }

    /// The name in the environment, made where there is none.
    package static func find(in host: UsingHost<some ServiceUses>) async throws(StoreFailure) -> String {
        if let declared = host.find(.declaredAlias)?.alias() { return declared }
        let bytes = try await host.stores.values.bytes(key(host), in: namespace) { () throws(StoreFailure) in
            value(try made(in: host))
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Keeps another name.
    package static func keep(_ alias: String, in host: UsingHost<some ServiceUses>) async throws(StoreFailure) {
        _ = try await host.stores.values.put(value(alias), under: key(host), in: namespace, if: .always)
    }

    /// Forgets the name, in the environment or in all: for a service that has no other one which keeps the device.
    package static func forget(in host: UsingHost<some ServiceUses>, everywhere: Bool) async throws(Fault) {
        let prefix = everywhere ? "" : "\(host.environmentScope)/"
        _ = try await Fault.wrapping { () async throws(StoreFailure) in
            try await host.stores.values.clear(namespace, keysBeginning: prefix)
        }
    }

    /// A name that the device never had.
    package static func new(in host: UsingHost<some ServiceUses>) throws(Fault) -> String {
        try Fault.wrapping { () throws(StoreFailure) in try made(in: host) }
    }

    /// A UUID of random digits (RFC 9562, version 4).
    package static func made(in host: UsingHost<some ServiceUses>) throws(StoreFailure) -> String {
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
