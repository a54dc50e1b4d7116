import WireBase
import WireSecrets

/// A message of Web Push in transmission: the header of RFC 8188, section 2.1, and the records.
struct EncryptedBody {
    static let saltSize = 16
    private static let headerSize = saltSize + 4 + 1 + PublicKey.pointSize

    let salt: [UInt8]
    let recordSize: Int
    /// The uncompressed point of the sender, which is the key id (RFC 8291, section 4).
    let sender: [UInt8]
    let records: ArraySlice<UInt8>

    init(parsing bytes: [UInt8]) throws(Fault) {
        guard bytes.count <= WebPushKeys.bodyLimit.bytes else {
            throw Fault("found a message of \(bytes.count) bytes, expected \(WebPushKeys.bodyLimit) at most")
        }
        // An empty message is a delimiter and a tag.
        let least = Self.headerSize + 1 + GCM.tagSize
        guard bytes.count >= least else {
            throw Fault("found a message of \(bytes.count) bytes, expected \(least) at least")
        }
        let size = bytes[Self.saltSize..<(Self.saltSize + 4)].reduce(0) { $0 << 8 | Int($1) }
        guard size >= RecordCipher.leastSize else {
            throw Fault("found records of \(size) bytes, expected \(RecordCipher.leastSize) at least")
        }
        guard bytes[Self.saltSize + 4] == PublicKey.pointSize else {
            throw Fault("the message has no public key of its sender in the header")
        }
        salt = Array(bytes.prefix(Self.saltSize))
        recordSize = size
        sender = Array(bytes[(Self.headerSize - PublicKey.pointSize)..<Self.headerSize])
        records = bytes[Self.headerSize...]
    }

    /// The bytes of a message of one record.
    static func bytes(salt: [UInt8], sender: [UInt8], record: [UInt8]) -> [UInt8] {
        let size = UInt32(max(4_096, record.count + 1))
        return salt + size.bigEndianBytes + [UInt8(sender.count)] + sender + record
    }

    /// The maximum size of a message before it is encrypted.
    static let messageLimit = WebPushKeys.bodyLimit.bytes - headerSize - 1 - GCM.tagSize
}

extension FixedWidthInteger {
    /// The bytes in network order.
    var bigEndianBytes: [UInt8] { unsafe withUnsafeBytes(of: bigEndian) { unsafe Array($0) } }
}
