import WireBase
import WireConfig

// The input of an operation: decoded from a request, and encoded as one.

extension JSONRecord {
    /// Decodes the input from the path, query, header and body of a request.
    package init(_ request: Request) throws(Problem) {
        let form = Self.form
        guard !form.members.isEmpty || !request.body.isEmpty else {
            self = .placeholder
            return
        }
        let plainTexts: Members<Self>.PlainTexts = { place, name throws(JSONMismatch) in
            switch place {
            case .path: return request[parameter: name]
            case .query: return try request.queryItem(name)
            case .header: return try request.headerField(name)
            case .body: return nil
            }
        }
        self = try Problem.wrapping { () throws(JSONMismatch) in
            var body: JSONDocument?
            if !form.bodyMembers.isEmpty || !request.body.isEmpty {
                body = try JSONDocument(request.body.isEmpty ? Array("{}".utf8) : request.body)
            }
            return try Self.read(plainTexts, body: body)
        }
    }

    /// Decodes the input from texts by member name.
    package init(
        texts: @escaping @Sendable (String) throws(JSONMismatch) -> String?
    ) throws(JSONMismatch) {
        self = try Self.read({ _, name throws(JSONMismatch) in try texts(name) }, body: nil)
    }

    static func read(
        _ plainTexts: @escaping Members<Self>.PlainTexts,
        body: JSONDocument?
    ) throws(JSONMismatch) -> Self {
        var members = try Members<Self>(plainTexts, body: body)
        let record = try Self(&members)
        try members.refuseUnknown()
        return record
    }

    /// Validates the members against their rules, for values that were not decoded.
    package func check() throws(JSONMismatch) {
        for member in Self.form.members {
            if let broken = member.broken(self) {
                throw JSONMismatch(broken, nil).inside(member: member.name, member.place)
            }
        }
    }
}

extension JSONRecord {
    /// The members encoded as header fields.
    package var headerFields: Fields {
        Self.form.members.filter { $0.place == .header }.reduce(into: [:]) { fields, member in
            fields[member.name] = member.plain(self)
        }
    }

    /// The request target for a path pattern whose placeholders are members.
    package func target(in pattern: String) -> String {
        let members = Self.form.members
        var target = pattern
        for member in members where member.place == .path {
            let text = (member.plain(self) ?? "").percentEncoded
            target = target.replacing("{\(member.name)}", with: text).replacing("{\(member.name)…}", with: text)
        }
        let query = members.filter { $0.place == .query }.compactMap { member in
            member.plain(self).map { "\(member.name)=\($0.percentEncoded)" }
        }
        return query.isEmpty ? target : "\(target)?\(query.joined(separator: "&"))"
    }
}

extension APICall {
    /// The request target for an input.
    package func target(for input: Input) -> String { input.target(in: operation.pattern) }

    /// The request body for an input; nil where it has none.
    package func body(for input: Input) -> [UInt8]? { Input.form.bodyMembers.isEmpty ? nil : input.bytes }
}

extension Request {
    /// The only value of a query item; throws where it is repeated.
    func queryItem(_ name: String) throws(JSONMismatch) -> String? {
        let found = target.query.filter { $0.name == name }
        guard found.count <= 1 else { throw JSONMismatch("given more than once", nil) }
        return found.first?.value
    }

    /// The only value of a header field; throws where it is repeated.
    fileprivate func headerField(_ name: String) throws(JSONMismatch) -> String? {
        guard let value = fields[name] else { return nil }
        guard fields.values(of: name).count == 1 else { throw JSONMismatch("given more than once", nil) }
        return value
    }
}
