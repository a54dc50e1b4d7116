import WireBase
import WireSecrets
package import WireStore

/// Seals with one key, and opens with it or a former one.
///
/// The sealed form is: the version of this layout (1 byte), the id of the key (8), the nonce (12), the bytes
/// encrypted with AES-256-GCM, the tag (16). Nonces are random: replace the key after some four thousand million
/// values.
package struct KeySealer: Sealer {
    private let key: SealingKey
    private let former: [SealingKey]

    package init(_ key: SealingKey, former: [SealingKey] = []) {
        self.key = key
        self.former = former
    }

    package func seal(_ bytes: [UInt8], for place: String) throws(StoreFailure) -> [UInt8] {
        let nonce = try StoreFailure.rethrowing(try OpenSSLSecrecy().random(GCM.nonceSize))
        let binding = binding(of: key, to: place)
        guard let sealed = GCM()?.seal(bytes, with: key, nonce: nonce, binding: binding) else {
            throw StoreFailure(.other, OpenSSLErrors.message("the value cannot be sealed"))
        }
        return [Self.version] + key.id + nonce + sealed
    }

    package func open(_ sealed: [UInt8], for place: String) throws(StoreFailure) -> [UInt8] {
        guard sealed.count >= Self.headSize + GCM.tagSize else { throw Self.damaged("too short") }
        guard sealed[0] == Self.version else {
            throw StoreFailure(
                .newer,
                "the value has an unsupported sealing version: found \(sealed[0]), expected \(Self.version)"
            )
        }
        guard let key = ([key] + former).first(where: { $0.id == id(of: sealed) }) else {
            throw StoreFailure(
                .sealed,
                "the value is sealed with a key that is not available",
                help: "set the key that sealed the value as a former key"
            )
        }
        let nonce = Array(sealed[(1 + key.id.count)..<Self.headSize])
        let binding = binding(of: key, to: place)
        guard let text = GCM()?.open(sealed[Self.headSize...], with: key, nonce: nonce, binding: binding) else {
            OpenSSLErrors.clear()
            throw Self.damaged("changed or moved")
        }
        return text
    }

    package func isCurrent(_ sealed: [UInt8]) -> Bool {
        sealed.count >= Self.headSize && sealed[0] == Self.version && id(of: sealed) == key.id
    }

    /// Whether one of the keys has sealed this.
    package func knows(_ sealed: [UInt8]) -> Bool {
        sealed.count >= Self.headSize && ([key] + former).contains { $0.id == id(of: sealed) }
    }

    private static let version: UInt8 = 1
    private static let headSize = 1 + 8 + GCM.nonceSize

    private func id(of sealed: [UInt8]) -> [UInt8] { Array(sealed[1..<9]) }

    private func binding(of key: SealingKey, to place: String) -> [UInt8] {
        [Self.version] + key.id + Array(place.utf8)
    }

    private static func damaged(_ why: String) -> StoreFailure {
        StoreFailure(.corrupt, "the sealed value is damaged: \(why)")
    }
}
