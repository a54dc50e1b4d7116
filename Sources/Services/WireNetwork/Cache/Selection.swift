import WireConfig
import WireHTTP
import WireNetworkContract
import WireService

/// What of a request, besides its URL, decides which of several stored answers it gets.
struct Selection: Sendable {
    /// Fields the request was given by whoever makes it.
    private let own: Fields
    /// Fields the file adds to it.
    private let added: HeaderFields
    private let authorization: String
    private let rights: TokenRights?

    init(_ call: ServerCall, _ settings: NetworkSection) {
        own = call.fields
        added = settings.headers
        authorization =
            switch call.authorization {
            case .none: "none"
            // Both are the token of the file's mode, where there is one.
            case .token(nil), .usual: ""
            case .token(let mode?): mode.rawValue
            }
        // Whoever may not have every token is given only what was got by somebody who might have no more.
        if case .none = call.authorization {
            rights = nil
        } else {
            rights = call.tokenRights == .all ? nil : call.tokenRights
        }
    }

    /// Whether the request has a field of its own that seems to be secret.
    var hasOwnSecret: Bool {
        own.all.contains { HeaderName.seemsToCarrySecret($0.name) && !$0.name.isSameField(as: "Idempotency-Key") }
    }

    /// The names of the request fields that select an answer, in lower case and in order (RFC 9111, section 4.1).
    ///
    /// An answer with a content coding is selected by `Accept-Encoding` even where its `Vary` does not say so, as with
    /// nginx's `gzip_vary off`: a caller that does not accept the coding could not read the body.
    static func names(of fields: Fields) -> [String] {
        var names = Set(fields.values(of: "Vary").flatMap { FieldList($0).map { $0.lowercased() } })
        if let coding = fields["Content-Encoding"], !coding.isSameField(as: "identity") {
            names.insert("accept-encoding")
        }
        return names.sorted()
    }

    /// The values some fields have in the request, with what tells apart who asks, as bytes that mean nothing else.
    ///
    /// Empty for a request that is asked for as the file says and an answer that varies by nothing.
    func values(of names: [String]) -> [UInt8] {
        var secrets: [String] = []
        for field in own.all where HeaderName.seemsToCarrySecret(field.name) {
            // A name for one request tells nobody apart.
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
            // The token the file brings changes, and stays that of the user who is told apart by the key.
            let values = own.values(of: name)
            let all = values.isEmpty ? added.fields.filter { $0.name.text.isSameField(as: name) }.map(\.value) : values
            bytes.write(Int64(all.count))
            for value in all { bytes.write(Self.normalised(value)) }
        }
        return bytes.bytes
    }

    /// A value with the same members, whatever white space stands between them.
    private static func normalised(_ value: String) -> String {
        FieldList(value).joined(separator: ",")
    }
}
