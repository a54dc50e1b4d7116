import FoundationEssentials
import WireBase
import WireConfig

/// How variables are written, and answers read into the types of a program; dates are text as in ISO 8601.
enum SyncJSON {
    static func variables<Variables: Encodable>(_ variables: Variables) throws(CorewireError) -> JSONValue? {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .custom { date, encoder in
            var container = encoder.singleValueContainer()
            try container.encode(date.formatted(precise))
        }
        guard let bytes = try? encoder.encode(variables),
            let json = try? JSONValue(parsing: Array(bytes), named: "variables"), let members = json.members
        else {
            throw CorewireError(.invalid, "the \(Variables.self) is no JSON object")
        }
        return members.isEmpty ? nil : json
    }

    static func data<Value: Decodable>(_ json: JSONValue, as type: Value.Type) throws(CorewireError) -> Value {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .custom { decoder in
            let container = try decoder.singleValueContainer()
            let text = try container.decode(String.self)
            if let date = (try? Date(text, strategy: precise)) ?? (try? Date(text, strategy: .iso8601)) { return date }
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "expected a date as in ISO 8601")
        }
        do {
            return try decoder.decode(type, from: Data(json.bytes()))
        } catch {
            throw CorewireError(
                .syncMalformed,
                "the data of the answer are no \(Value.self)\((error as? DecodingError)?.problem ?? "")",
                help: "run 'corewire sync generate swift' after a change of the schema or of the operations"
            )
        }
    }

    private static let precise = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
}
