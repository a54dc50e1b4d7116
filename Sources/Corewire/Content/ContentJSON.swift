import FoundationEssentials
import WireBase
import WireConfig

/// How content is read into a program's own types, and written from them.
enum ContentJSON {
    static func parsed(_ bytes: [UInt8]) throws(CorewireError) -> JSONValue {
        do throws(Unreadable) {
            return try JSONValue(parsing: bytes, named: "content")
        } catch {
            throw CorewireError(.malformed, "the content is no JSON: \(error.problem.message)")
        }
    }

    static func value<Values: Encodable>(of values: Values) throws(CorewireError) -> JSONValue {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .custom { date, encoder in
            var container = encoder.singleValueContainer()
            try container.encode(date.formatted(precise))
        }
        let bytes: [UInt8]
        do {
            bytes = Array(try encoder.encode(values))
        } catch {
            throw CorewireError(.malformed, "the \(Values.self) has no JSON", cause: error)
        }
        let json = try parsed(bytes)
        guard case .object = json else {
            throw CorewireError(.malformed, "the \(Values.self) is no JSON object, as values are")
        }
        return json
    }

    static func read<Value: Decodable>(_ json: JSONValue, as type: Value.Type, named name: String)
        throws(CorewireError) -> Value
    {
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
            return try decoder.decode(type, from: Data(json.bytes()))
        } catch {
            throw CorewireError(.malformed, "\(name) is no \(Value.self)", cause: error)
        }
    }

    private static let precise = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
}
