import WireBase
import WireConfig

// What an operation is asked with: read from a request, and written as one.

extension JSONRecord {
    /// Reads what a request brings in its path, its query, its header and its body.
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

    /// Reads texts that are asked for by the names of the members.
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

    /// Holds the members against their rules, where they were not read.
    package func check() throws(JSONMismatch) {
        for member in Self.form.members {
            if let broken = member.broken(self) {
                throw JSONMismatch(broken, nil).inside(member: member.name, member.place)
            }
        }
    }
}

extension JSONRecord {
    /// Its members that stand in the header of a request.
    package var headerFields: Fields {
        Self.form.members.filter { $0.place == .header }.reduce(into: [:]) { fields, member in
            fields[member.name] = member.plain(self)
        }
    }

    /// Path and query of a request by a pattern whose placeholders are members.
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
    /// Path and query of a request that makes the call.
    package func target(for input: Input) -> String { input.target(in: operation.pattern) }

    /// The body of a request that makes the call; nil where it has none.
    package func body(for input: Input) -> [UInt8]? { Input.form.bodyMembers.isEmpty ? nil : input.bytes }
}

extension Request {
    /// An item of the query, which is there once at most.
    func queryItem(_ name: String) throws(JSONMismatch) -> String? {
        let found = target.query.filter { $0.name == name }
        guard found.count <= 1 else { throw JSONMismatch("it is there more than once", nil) }
        return found.first?.value
    }

    /// A header field, which is there once at most.
    fileprivate func headerField(_ name: String) throws(JSONMismatch) -> String? {
        guard let value = fields[name] else { return nil }
        guard fields.values(of: name).count == 1 else { throw JSONMismatch("it is there more than once", nil) }
        return value
    }
}
