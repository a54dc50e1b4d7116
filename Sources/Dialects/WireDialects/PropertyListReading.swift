import FoundationEssentials
import WireBase

/// A value of a property list with settings.
enum PropertyListValue: Equatable {
    case text(String)
    case boolean(Bool)
    case integer(Int)
    /// A number with a fraction, a date, data, a list or a dictionary: not a setting of HALO.
    case other
}

/// Reads the settings of an XML or binary property list from untrusted bytes.
enum PropertyListReading {
    /// The largest list: HALO's have less than a kilobyte.
    static let sizeLimit = ByteCount.mebibytes(1)
    /// The largest number of collections in an XML list: HALO's have one.
    ///
    /// The decoder is recursive, so depth alone could end the process.
    static let collectionLimit = 64

    static func settings(in bytes: [UInt8], _ name: String) throws(Fault) -> [String: PropertyListValue] {
        guard bytes.count <= sizeLimit.bytes else {
            throw Fault("\(name) is larger than \(sizeLimit), the limit of a settings file")
        }
        try checkShape(bytes, name)
        do {
            return try PropertyListDecoder().decode(Settings.self, from: Data(bytes)).values
        } catch DecodingError.typeMismatch {
            throw Fault("\(name): expected a dictionary of settings")
        } catch {
            // The decoder's message may quote the list, and so a secret.
            throw Fault("\(name) is not a well-formed property list")
        }
    }

    private static func checkShape(_ bytes: [UInt8], _ name: String) throws(Fault) {
        if bytes.starts(with: "bplist".utf8) { return }
        let text = bytes.starts(with: [0xef, 0xbb, 0xbf]) ? bytes.dropFirst(3) : bytes[...]
        let first = text.first { $0 != 0x20 && $0 != 0x09 && $0 != 0x0a && $0 != 0x0d }
        guard first == UInt8(ascii: "<"), !text.contains(0) else {
            throw Fault("\(name) is not a property list: expected XML in UTF-8, or the binary format")
        }
        guard String(validating: text, as: UTF8.self) != nil else { throw Fault("\(name) is not UTF-8") }
        // Only opening tags are counted, since a closing one may be in a comment.
        guard openings(in: text) <= collectionLimit else {
            throw Fault("\(name) has more than \(collectionLimit) collections, the limit of a settings file")
        }
    }

    private static func openings(in text: ArraySlice<UInt8>) -> Int {
        text.indices.count { index in
            text[index] == UInt8(ascii: "<")
                && ["<dict", "<array", "<plist"].contains { text[index...].starts(with: $0.utf8) }
        }
    }

    /// The top-level dictionary.
    private struct Settings: Decodable {
        var values: [String: PropertyListValue] = [:]

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: Key.self)
            for key in container.allKeys { values[key.stringValue] = Self.value(key, container) }
        }

        private static func value(_ key: Key, _ container: KeyedDecodingContainer<Key>) -> PropertyListValue {
            if let value = try? container.decode(Bool.self, forKey: key) { return .boolean(value) }
            if let value = try? container.decode(String.self, forKey: key) { return .text(value) }
            if let value = try? container.decode(Int.self, forKey: key) { return .integer(value) }
            return .other
        }
    }

    private struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }
}
