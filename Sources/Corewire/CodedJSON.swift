import FoundationEssentials
import WireBase
import WireConfig

/// Encodes and decodes the program's own types as JSON.
///
/// Dates are ISO 8601 text with milliseconds; milliseconds since 1970 are also accepted.
enum CodedJSON {
    /// Encodes a value; equal values have equal bytes.
    static func bytes<Value: Encodable>(of value: Value, named name: String) throws(CorewireError) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .custom { date, encoder in
            var container = encoder.singleValueContainer()
            try container.encode(date.formatted(precise))
        }
        do {
            return Array(try encoder.encode(value))
        } catch {
            let place = (error as? EncodingError)?.place ?? ""
            throw CorewireError(.malformed, "the \(Value.self) for \(name) is not valid JSON\(place)", cause: error)
        }
    }

    /// Encodes a value that must be an object.
    static func object<Value: Encodable>(of value: Value, named name: String) throws(CorewireError) -> JSONValue {
        let json = try parsed(try bytes(of: value, named: name), named: name)
        guard case .object = json else {
            throw CorewireError(.malformed, "the \(Value.self) for \(name) is not a JSON object")
        }
        return json
    }

    static func parsed(_ bytes: [UInt8], named name: String) throws(CorewireError) -> JSONValue {
        do throws(Unreadable) {
            return try JSONValue(parsing: bytes, named: name)
        } catch {
            throw CorewireError(.malformed, "the \(name) is not valid JSON: \(error.problem.message)")
        }
    }

    static func value<Value: Decodable>(
        of bytes: [UInt8],
        as type: Value.Type,
        named name: String
    ) throws(CorewireError) -> Value {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .custom { decoder in
            let container = try decoder.singleValueContainer()
            if let milliseconds = try? container.decode(Double.self) {
                return Date(timeIntervalSince1970: milliseconds / 1_000)
            }
            let text = try container.decode(String.self)
            if let date = (try? Date(text, strategy: precise)) ?? (try? Date(text, strategy: .iso8601)) { return date }
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "expected a date as in ISO 8601")
        }
        do {
            return try decoder.decode(type, from: Data(bytes))
        } catch {
            let problem = (error as? DecodingError)?.problem ?? ""
            throw CorewireError(.malformed, "\(name) is not a \(Value.self)\(problem)", cause: error)
        }
    }

    private static let precise = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
}

extension EncodingError {
    /// The location in the value, without its content.
    fileprivate var place: String {
        guard case .invalidValue(_, let context) = self else { return "" }
        return context.codingPath.isEmpty ? "" : " at \(context.codingPath.text)"
    }
}

extension DecodingError {
    /// The location and the expectation, without the content found.
    fileprivate var problem: String {
        func at(_ path: [any CodingKey]) -> String { path.isEmpty ? "" : " at \(path.text)" }
        switch self {
        case .keyNotFound(let key, let context):
            return "\(at(context.codingPath)): expected a member \(key.stringValue.quoted)"
        case .typeMismatch(let type, let context): return "\(at(context.codingPath)): expected a value for \(type)"
        case .valueNotFound(let type, let context): return "\(at(context.codingPath)): found null, expected \(type)"
        case .dataCorrupted(let context): return at(context.codingPath)
        @unknown default: return ""
        }
    }
}

extension [any CodingKey] {
    fileprivate var text: String {
        map { $0.intValue.map { "\($0)" } ?? $0.stringValue }.joined(separator: ".").shown(upTo: 200).quoted
    }
}
