import WireBase
import WireConfig
import WireGraphQL
import WireHTTP
import WireSyncContract

/// A client's cache settings: in `extensions.corewire` of a request, or in header fields, which a client library sets
/// for all requests.
struct QueryOptions {
    var policy: CachePolicy?
    var maxAge: Duration?
    /// Whether the answer's extensions show its source.
    var isTold = false

    static let policyField = "Corewire-Policy"
    static let maxAgeField = "Corewire-Max-Age"

    init(_ request: GraphQLRequest, _ fields: Fields) throws(Fault) {
        policy = try Self.policy(fields[Self.policyField], Self.policyField)
        maxAge = try Self.maxAge(fields[Self.maxAgeField], Self.maxAgeField)
        guard let options = request.extensions.first(where: { $0.key == "corewire" })?.value else { return }
        guard options.members != nil else {
            throw Fault("'extensions.corewire': expected an object, found \(options.kindInWords)")
        }
        isTold = true
        policy = try Self.policy(Self.text("policy", of: options), "extensions.corewire.policy") ?? policy
        maxAge = try Self.maxAge(Self.text("maxAge", of: options), "extensions.corewire.maxAge") ?? maxAge
    }

    private static func text(_ name: String, of options: JSONValue) throws(Fault) -> String? {
        switch options[name] {
        case nil, .null?: return nil
        case .string(let text)?: return text
        case let value?:
            throw Fault("'extensions.corewire.\(name)': expected text, found \(value.kindInWords)")
        }
    }

    private static func policy(_ text: String?, _ place: String) throws(Fault) -> CachePolicy? {
        guard let text else { return nil }
        if let policy = CachePolicy(rawValue: text) { return policy }
        let expected = CachePolicy.allCases.map(\.rawValue).listed()
        throw Fault("'\(place)': found \(text.shown(upTo: 64).quoted), expected \(expected)")
    }

    private static func maxAge(_ text: String?, _ place: String) throws(Fault) -> Duration? {
        guard let text else { return nil }
        guard let age = try? Duration(parsing: text), age >= .zero else {
            throw Fault(
                "'\(place)': found \(text.shown(upTo: 64).quoted), expected a duration such as 60s"
            )
        }
        return age
    }
}
