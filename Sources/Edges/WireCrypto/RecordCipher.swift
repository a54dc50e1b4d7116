package import WireBase
import WireSecrets

/// Encrypts and decrypts the records of one message in the content coding `aes128gcm` (RFC 8188, section 2).
///
/// A record ends with a delimiter, which tells the last record from the others, and zeros.
package struct RecordCipher {
    /// The minimum size of a record: a byte of text, the delimiter and the tag.
    package static let leastSize = 2 + GCM.tagSize

    private let key: MessageKey
    private let nonce: [UInt8]

    /// Derives the key and the nonce (sections 2.2 and 2.3).
    package init(_ material: Secret<[UInt8]>, salt: [UInt8]) throws(Fault) {
        var root = try OpenSSLSecrecy().code(of: material.reveal(), key: salt)
        defer { root.wipe() }
        key = MessageKey(try Self.derive("Content-Encoding: aes128gcm", MessageKey.size, root))
        nonce = try Self.derive("Content-Encoding: nonce", GCM.nonceSize, root)
    }

    private static func derive(_ name: String, _ count: Int, _ root: [UInt8]) throws(Fault) -> [UInt8] {
        Array(try OpenSSLSecrecy().code(of: Array(name.utf8) + [0, 1], key: root).prefix(count))
    }

    /// Decrypts all records, of which only the last may be smaller than the others.
    package func open(_ records: ArraySlice<UInt8>, of size: Int) throws(Fault) -> [UInt8] {
        var (message, rest, number): ([UInt8], _, UInt64) = ([], records, 0)
        repeat {
            let record = rest.prefix(size)
            rest = rest.dropFirst(size)
            guard let text = GCM()?.open(record, with: key, nonce: nonce(of: number), binding: []) else {
                OpenSSLErrors.clear()
                throw Fault("the message was not encrypted for this subscription, or it was changed")
            }
            guard let end = text.lastIndex(where: { $0 != 0 }), text[end] == Self.delimiter(isLast: rest.isEmpty) else {
                throw Fault("the message is incomplete, or its padding is not valid")
            }
            message += text[..<end]
            number += 1
        } while !rest.isEmpty
        return message
    }

    /// Encrypts one record: a text with its delimiter and padding.
    package func seal(_ text: [UInt8], number: UInt64) throws(Fault) -> [UInt8] {
        guard let record = GCM()?.seal(text, with: key, nonce: nonce(of: number), binding: []) else {
            throw Fault(OpenSSLErrors.message("the message cannot be encrypted"))
        }
        return record
    }

    package static func delimiter(isLast: Bool) -> UInt8 { isLast ? 2 : 1 }

    private func nonce(of number: UInt64) -> [UInt8] {
        let number = [UInt8](repeating: 0, count: GCM.nonceSize - 8) + number.bigEndianBytes
        return zip(nonce, number).map { $0 ^ $1 }
    }
}
