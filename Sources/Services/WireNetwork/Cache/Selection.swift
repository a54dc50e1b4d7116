import WireConfig
import WireHTTP
import WireNetworkContract
import WireService

/// The parts of a request, besides its URL, that select a stored response.
struct Selection: Sendable {
    /// The fields of the caller.
    private let own: Fields
    /// The fields of the file.
    private let added: HeaderFields
    private let authorization: String
    private let rights: TokenRights?

    init(_ call: ServerCall, _ settings: NetworkSection) {
        own = call.fields
        added = settings.headers
        authorization =
            switch call.authorization {
            case .none: "none"
            // Both mean a token of the file's mode, if there is one.
            case .token(nil), .usual: ""
            case .token(let mode?): mode.rawValue
            }
        // A caller with limited rights gets only responses that were fetched with such rights.
        if case .none = call.authorization {
            rights = nil
        } else {
            rights = call.tokenRights == .all ? nil : call.tokenRights
        }
    }

    /// Whether the caller's fields seem to contain a secret.
    var hasOwnSecret: Bool {
        own.all.contains { HeaderName.seemsToCarrySecret($0.name) && !$0.name.isSameField(as: "Idempotency-Key") }
    }

    /// The request fields that select a response, in lower case and in order (RFC 9111, section 4.1).
    ///
    /// An encoded response is selected by `Accept-Encoding` even without `Vary`, as with nginx's `gzip_vary off`: a
    /// caller that does not accept the encoding could not read the body.
    static func names(of fields: Fields) -> [String] {
        var names = Set(fields.values(of: "Vary").flatMap { FieldList($0).map { $0.lowercased() } })
        if let coding = fields["Content-Encoding"], !coding.isSameField(as: "identity") {
            names.insert("accept-encoding")
        }
        return names.sorted()
    }

    /// The values of fields in the request with the caller's identity, as unambiguous bytes.
    ///
    /// Empty for a usual request and a response without `Vary`.
    func values(of names: [String]) -> [UInt8] {
        var secrets: [String] = []
        for field in own.all where HeaderName.seemsToCarrySecret(field.name) {
            // The name of a single request does not identify its caller.
            if !field.name.isSameField(as: "Idempotency-Key") { secrets.append(field.name.lowercased()) }
        }
        if names.isEmpty, secrets.isEmpty, authorization.isEmpty, rights == nil { return [] }
        var bytes = ByteWriter()
        bytes.write(authorization)
        for list in [rights?.modes, rights?.scopes] {
            bytes.write(Int64(list?.count ?? -1))
            for word in list ?? [] { bytes.write(word) }
        }
        for name in Set(secrets).union(names).sorted() {
            bytes.write(name)
            // The file's token changes, and stays the user's, who is part of the key.
            let values = own.values(of: name)
            let all = values.isEmpty ? added.fields.filter { $0.name.text.isSameField(as: name) }.map(\.value) : values
            bytes.write(Int64(all.count))
            for value in all { bytes.write(Self.normalised(value)) }
        }
        return bytes.bytes
    }

    /// The value with normalized white space between members.
    private static func normalised(_ value: String) -> String {
        FieldList(value).joined(separator: ",")
    }
}
