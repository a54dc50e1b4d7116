import FoundationEssentials
import WireBase
import WireConfig

/// The certificate pins of an AeroGear file, in `https.certificatePins` or directly in `https`.
struct AeroGearPins {
    /// The path of the list.
    let path: [String]
    let list: NodeID

    /// Finds the pins of a file; nil without a list.
    init?(_ root: NodeID, of document: Document) {
        guard let https = document.value("https", of: root) else { return nil }
        if document.kind(https) == .sequence {
            (path, list) = (["https"], https)
        } else if let pins = document.value("certificatePins", of: https), document.kind(pins) == .sequence {
            (path, list) = (["https", "certificatePins"], pins)
        } else {
            return nil
        }
    }

    /// Returns a hash in base64; files may have hexadecimal, with OpenSSL's colons or without.
    static func base64(_ hash: String) -> String {
        let digits = hash.utf8.filter { $0 != UInt8(ascii: ":") }
        guard digits.count == 64, digits.allSatisfy(\.isHexDigit) else { return hash }
        let bytes = stride(from: 0, to: 64, by: 2).compactMap {
            UInt8(String(decoding: digits[$0...$0 + 1], as: UTF8.self), radix: 16)
        }
        return Data(bytes).base64EncodedString()
    }
}
