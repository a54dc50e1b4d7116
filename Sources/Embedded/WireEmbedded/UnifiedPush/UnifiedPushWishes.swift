import WireBackends
import WireBase
import WireConfig
import WireHTTP

/// An administrator's order for an application.
struct ApplicationOrder: Sendable {
    let name: String
    let description: String?
    let id: String?
    let secret: String?

    init(_ members: inout JSONMembers) throws(Problem) {
        (name, description) = try members.naming()
        id = try members.textIfAny("pushApplicationID")
        secret = try members.textIfAny("masterSecret")
        if let id, id.utf8.count > 255 || !UnifiedPushApplications.isFieldName(id) {
            throw members.failure("expected letters, digits and '-', 255 at most", "pushApplicationID")
        }
        if let secret, !(8...255).contains(secret.utf8.count) {
            throw members.failure("expected 8 to 255 bytes", "masterSecret")
        }
        // Clients send the members back that only the server writes.
        for own in ["id", "developer", "variants"] { _ = try members.value(own) }
    }
}

/// An administrator's order for a variant.
///
/// The credentials of the provider are required as at the real server. Secret ones are not stored, since the embedded
/// server calls no providers.
struct VariantOrder: Sendable {
    let name: String
    private let description: String?
    private let details: [(key: String, value: JSONValue)]

    func change(_ variant: inout PushVariant) {
        (variant.name, variant.description) = (name, description)
        for detail in details {
            variant.details.removeAll { $0.key == detail.key }
            variant.details.append(detail)
        }
    }

    private struct Field {
        let name: String
        var isSecret = false
        var isNeeded = false
        var isFlag = false
    }

    private static func fields(_ kind: PushVariant.Kind) -> [Field] {
        switch kind {
        case .android: [Field(name: "googleKey", isSecret: true, isNeeded: true), Field(name: "projectNumber")]
        case .ios:
            [
                Field(name: "certificate", isSecret: true, isNeeded: true),
                Field(name: "passphrase", isSecret: true, isNeeded: true), Field(name: "production", isFlag: true),
            ]
        case .iosToken:
            [
                Field(name: "privateKey", isSecret: true, isNeeded: true), Field(name: "teamId", isNeeded: true),
                Field(name: "keyId", isNeeded: true), Field(name: "bundleId", isNeeded: true),
                Field(name: "production", isFlag: true),
            ]
        case .webPush:
            [Field(name: "publicKey"), Field(name: "privateKey", isSecret: true), Field(name: "alias")]
        }
    }

    static func read(_ request: Request, _ kind: PushVariant.Kind, isNew: Bool) throws -> Self {
        let type = request.fields["Content-Type"].flatMap(MediaType.init(parsing:))
        guard kind == .ios, type?.essence == "multipart/form-data" else {
            return try UnifiedPushRegistry.json(request) { members throws(Problem) in
                try Self(&members, kind, isNew: isNew)
            }
        }
        // A certificate is sent as a file; the other parts have the members of the JSON form.
        let form = try MultipartForm(request) { .unifiedPush(.badRequest, $0) }
        var said: [(key: String, value: JSONValue)] = []
        for part in form.parts where try form[part.name] != nil {
            switch part.name {
            case "certificate": said.append((part.name, .string(part.bytes.isEmpty ? "" : "given")))
            case "production": said.append((part.name, .boolean(part.text == "true")))
            default: said.append((part.name, .string(try form.text(part.name) ?? "")))
            }
        }
        var body = Request(
            method: request.method,
            target: request.target,
            fields: ["Content-Type": "application/json"],
            caller: request.caller
        )
        body.body = JSONValue.object(said).bytes()
        return try body.json { members throws(Problem) in try Self(&members, kind, isNew: isNew) }
    }

    private init(_ members: inout JSONMembers, _ kind: PushVariant.Kind, isNew: Bool) throws(Problem) {
        (name, description) = try members.naming()
        var told: [(key: String, value: JSONValue)] = []
        for field in Self.fields(kind) {
            if field.isFlag {
                let given = try members.booleanIfAny(field.name)
                if let value = given ?? (isNew ? false : nil) { told.append((field.name, .boolean(value))) }
                continue
            }
            let value = try members.textIfAny(field.name).flatMap { $0.isEmpty ? nil : $0 }
            if value == nil, field.isNeeded, isNew {
                throw members.failure("expected \(field.name.quoted)", field.name)
            }
            guard let value, !field.isSecret else { continue }
            guard value.isPlainLine(upTo: 4_096) else {
                throw members.failure("expected 4096 bytes at most, without control characters", field.name)
            }
            told.append((field.name, .string(value)))
        }
        details = told
        for own in ["id", "variantID", "secret", "developer", "type", "installations"] { _ = try members.value(own) }
    }
}

extension JSONMembers {
    fileprivate mutating func naming() throws(Problem) -> (String, String?) {
        let name = try text("name")
        guard !name.isEmpty, name.isPlainLine(upTo: 255) else {
            throw failure("expected 1 to 255 bytes without control characters", "name")
        }
        let description = try textIfAny("description")
        if let description, !description.isPlainLine(upTo: 255) {
            throw failure("expected 255 bytes at most, without control characters", "description")
        }
        return (name, description)
    }
}

extension String {
    fileprivate func isPlainLine(upTo limit: Int) -> Bool {
        utf8.count <= limit && !unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x7f }
    }
}
