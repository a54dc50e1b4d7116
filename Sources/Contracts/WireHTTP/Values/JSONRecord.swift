package import WireConfig

/// An object whose members are declared once, in its initialiser, for reading, writing and describing it.
///
/// ```swift
/// struct Pause: JSONRecord {
///     let lane: String?
///     static let form = JSONForm<Self>("OutboxPause", "What is paused.")
/// }
///
/// extension Pause {
///     init(_ members: inout Members<Self>) throws(JSONMismatch) {
///         lane = try members.optional("lane", \.lane, "The lane; all of the outbox where absent.")
///     }
/// }
/// ```
///
/// Put the initialiser in an extension to keep the memberwise one. It must request the same members on every call.
package protocol JSONRecord: JSONCodable, APIAnswer {
    static var form: JSONForm<Self> { get }
    init(_ members: inout Members<Self>) throws(JSONMismatch)
}

extension JSONRecord {
    package static var schema: JSONSchema { .of(form.schema) }

    package static var placeholder: Self {
        var members = Members<Self>()
        do throws(JSONMismatch) {
            return try Self(&members)
        } catch {
            preconditionFailure("\(Self.self) rejects its own placeholder")
        }
    }

    package var json: JSONValue { .object(Self.form.told(self)) }
    package var jsonValue: JSONValue? { json }

    package static func read(_ node: NodeID, in text: JSONDocument) throws(JSONMismatch) -> Self {
        var members = try Members<Self>(node, in: text)
        try form.checkVersion(&members)
        let record = try Self(&members)
        try members.refuseUnknown()
        return record
    }

    package func write(to writer: inout JSONWriter) { Self.form.write(self, to: &writer) }
}

/// The name of a record, and the members that its initialiser requests.
package struct JSONForm<Record: JSONRecord>: Sendable {
    let name, help: String
    private let version: Int?
    private let versionName: String
    package let members: [MemberDescription<Record>]
    /// The members in the JSON text; those in the path, query or header are not included.
    let bodyMembers: [MemberDescription<Record>]

    /// Declares a record; a stored record has a version, which is increased when older programs can no longer read it.
    package init(_ name: String, _ help: String, version: Int? = nil, as versionName: String = "version") {
        var described = Members<Record>()
        do throws(JSONMismatch) {
            _ = try Record(&described)
        } catch {
            preconditionFailure("\(name) rejects its own placeholder")
        }
        (self.name, self.help, self.version, self.versionName) = (name, help, version, versionName)
        members = described.described
        bodyMembers = members.filter { $0.place == .body }
    }

    /// The names of the members in the JSON text.
    var names: [String] { bodyMembers.map(\.name) }

    /// The schema of the written record.
    package var schema: JSONSchema { named(.object(members.map(\.member), help: help)) }

    /// The schema for reading: `null` means absent, and members with a default may be left out.
    package var requestSchema: JSONSchema {
        named(.object(bodyMembers.map(\.requested), help: help))
    }

    private func named(_ schema: JSONSchema) -> JSONSchema {
        schema.named(name) { example in refusal(of: example) }
    }

    /// Why the record cannot be read from its example, if so.
    private func refusal(of example: JSONValue) -> JSONMismatch? {
        let texts = members.filter { $0.place == .path }.reduce(into: [:]) { texts, member in
            texts[member.name] = member.requested.schema.content.example.map { $0.string ?? $0.text() }
        }
        do throws(JSONMismatch) {
            let body = try JSONDocument(Array(example.text().utf8), named: name)
            _ = try Record.read({ [texts] _, name throws(JSONMismatch) in texts[name] }, body: body)
            return nil
        } catch {
            return error
        }
    }

    fileprivate func told(_ record: Record) -> [(key: String, value: JSONValue)] {
        var told: [(key: String, value: JSONValue)] = version.map { [(versionName, .integer($0))] } ?? []
        told.reserveCapacity(bodyMembers.count)
        for member in bodyMembers {
            if let value = member.jsonValue(record) { told.append((member.name, value)) }
        }
        return told
    }

    fileprivate func write(_ record: Record, to writer: inout JSONWriter) {
        writer.put("{")
        var isFirst = version == nil
        if let version { writer.put("\"\(versionName)\":\(version)") }
        for member in bodyMembers { member.write(record, &writer, &isFirst) }
        writer.put("}")
    }

    fileprivate func checkVersion(_ members: inout Members<Record>) throws(JSONMismatch) {
        guard let version else { return }
        let found = try members.required(versionName, { _ in version }, "The version of the format.")
        guard found != version else { return }
        var mismatch = members.mismatch("found version \(found), expected \(version)", versionName)
        mismatch.isOfNewerVersion = found > version
        throw mismatch
    }
}
