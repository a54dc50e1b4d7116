import WireBase
import WireConfig
import WireHTTP
import WireService

/// The local API of the device.
struct DeviceRoutes: RouteGroup {
    private let service: DeviceService

    init(_ service: DeviceService) { self.service = service }

    static let table: [RouteEntry<Self>] = [
        .init(
            .init(.get, "/v1/device", "What is known of the device.", access: .read, answers: [told])
        ) { .snapshot($0.show) },
        .init(
            .init(
                .patch,
                "/v1/device",
                "Change the device; a member that is null is taken away. Answered when it is on the disk.",
                access: .write,
                body: .json(change, upTo: .kibibytes(512), mayBeEmpty: false),
                answers: [told] + refusals
            )
        ) { .work($0.change) },
        .init(
            .init(
                .delete,
                "/v1/device",
                "Forget the device, here and where the server can there, until somebody registers it.",
                access: .write,
                answers: [.nothing(.noContent, "It is forgotten."), unavailable]
            )
        ) { .work($0.remove) },
        .init(
            .init(
                .post,
                "/v1/device/register",
                "Have the device saved at the server.",
                access: .write,
                answers: [
                    .json(DeviceReport.schema, "It is written down that it is to be saved.", status: .accepted),
                    .problem(.conflict, "never-registered", "The file says that servers are not told."), unavailable,
                ]
            )
        ) { .work($0.register) },
        .init(
            .init(
                .put,
                "/v1/device/tags/{name…}",
                "Give the device a tag; one of the same name is replaced.",
                access: .write,
                body: .json(tag, upTo: .kibibytes(8), mayBeEmpty: true),
                inputs: [name],
                answers: [told] + refusals
            )
        ) { .work($0.putTag) },
        .init(
            .init(
                .delete,
                "/v1/device/tags/{name…}",
                "Take a tag from the device.",
                access: .write,
                inputs: [name],
                answers: [told, .problem(.notFound, "no-such-tag", "It has no such tag.")] + refusals
            )
        ) { .work($0.removeTag) },
    ]

    private static let told = Operation.Answer.json(DeviceReport.schema, "The device.")
    private static let name = Route.Input(.path, "name", "The name of the tag.", .text(upTo: DeviceLimits.tagName))
    private static let unavailable = Operation.Answer.problem(
        .unavailable,
        "device-unavailable",
        "The store or the outbox does not take it now."
    )
    private static let refusals: [Operation.Answer] = [
        .problem(.unprocessableContent, "bad-device", "A device cannot be so."),
        .problem(.conflict, "declared", "The file says what it is."), unavailable,
    ]

    private static let tag = JSONSchema.object([.optional("value", "Its value.", JSONSchema.text.orNull)])
        .named("TagValue")

    private static let change = JSONSchema.object([
        .optional("alias", "The name people know it by; another one is made where null.", JSONSchema.text.orNull),
        .optional("email", "The address of whoever uses it.", JSONSchema.text.orNull),
        .optional("tags", "Tags by name: a value, or null to take it away.", .anything),
        .optional("tokens", "Push tokens by platform: a token, or null to take it away.", .anything),
    ]).named("DeviceChange")

    // MARK: Looking

    private func show(_ request: Request) -> Response { .json(report.json) }

    private var report: DeviceReport {
        DeviceReport(service.keeper.record, service.keeper.present.settings.register)
    }

    // MARK: Changing

    private func change(_ request: Request) async throws -> Response {
        let change = try request.json { (members) throws(Problem) in try Change(&members) }
        let alias: String? =
            switch change.alias {
            case .absent: nil
            case .none: try await asking { () async throws(DeviceRefusal) in try await service.newAlias() }
            case .text(let alias): alias
            }
        return try await changed { device in
            if let alias { device.alias = alias }
            switch change.email {
            case .absent: break
            case .none: device.email = nil
            case .text(let email): device.email = email
            }
            device.removeTags(change.removedTags)
            device.addTags(change.tags)
            for (platform, token) in change.tokens { device.setToken(token, of: platform) }
        }
    }

    private func putTag(_ request: Request) async throws -> Response {
        let name = request[parameter: "name"]
        var value: String?
        if !request.body.isEmpty {
            value = try request.json { (members) throws(Problem) in try members.textIfAny("value") }
        }
        let tag = DeviceTag(name, value)
        try refuseSystemTag(name)
        return try await changed { $0.addTags([tag]) }
    }

    private func removeTag(_ request: Request) async throws -> Response {
        let name = request[parameter: "name"]
        guard service.device.tags.contains(where: { $0.name == name }) else {
            let nearest = Nearest.name(to: name, among: service.device.tags.map(\.name)).map {
                ", did you mean '\($0)'?"
            }
            throw Problem(
                .notFound,
                "no-such-tag",
                "the device has no such tag",
                detail: "found \(name.quoted)\(nearest ?? "")"
            )
        }
        try refuseSystemTag(name)
        return try await changed { $0.removeTags([name]) }
    }

    /// What was found out is found out again.
    private func refuseSystemTag(_ name: String) throws(Problem) {
        guard service.device.tags.contains(where: { $0.name == name && $0.kind == .system }) else { return }
        throw Problem(DeviceRefusal(.declared, "the tag \(name.quoted) says what corewire has found out"))
    }

    private func remove(_ request: Request) async throws -> Response {
        try await asking { () async throws(DeviceRefusal) in try await service.remove() }
        return Response(.noContent)
    }

    private func register(_ request: Request) async throws -> Response {
        try await asking { () async throws(DeviceRefusal) in try await service.register() }
        return .json(report.json, status: .accepted)
    }

    private func changed(_ change: @escaping @Sendable (inout KnownDevice) -> Void) async throws -> Response {
        try await asking { () async throws(DeviceRefusal) in _ = try await service.change(change) }
        return .json(report.json)
    }

    private func asking<Answer>(_ ask: () async throws(DeviceRefusal) -> Answer) async throws(Problem) -> Answer {
        do throws(DeviceRefusal) { return try await ask() } catch { throw Problem(error) }
    }
}

/// What a request wants the device to be.
private struct Change: Sendable {
    enum Wish: Sendable, Equatable {
        case absent, none
        case text(String)
    }

    let alias: Wish
    let email: Wish
    var tags: [DeviceTag] = []
    var removedTags: [String] = []
    var tokens: [(platform: String, token: String?)] = []

    init(_ members: inout JSONMembers) throws(Problem) {
        alias = try Self.wish("alias", &members)
        email = try Self.wish("email", &members)
        for (name, value) in try Self.entries("tags", &members) {
            if let value { tags.append(DeviceTag(name, value)) } else { removedTags.append(name) }
        }
        tokens = try Self.entries("tokens", &members).map { (platform: $0, token: $1) }
    }

    private static func wish(_ name: String, _ members: inout JSONMembers) throws(Problem) -> Wish {
        switch try members.value(name) {
        case nil: return .absent
        case .null?: return .none
        case .string(let text)?: return .text(text)
        default: throw members.failure("\(name.quoted): expected text or null", name)
        }
    }

    private static func entries(_ name: String, _ members: inout JSONMembers) throws(Problem) -> [(String, String?)] {
        let entries: [(key: String, value: JSONValue)]
        switch try members.value(name) {
        case nil, .null?: return []
        case .object(let given)?: entries = given
        default: throw members.failure("\(name.quoted): expected an object", name)
        }
        var found: [(String, String?)] = []
        for entry in entries {
            switch entry.value {
            case .null: found.append((entry.key, nil))
            case .string(let text): found.append((entry.key, text))
            default: throw members.failure("\(entry.key.quoted): expected text or null", name)
            }
        }
        return found
    }
}

extension Problem {
    init(_ refusal: DeviceRefusal) {
        let detail = refusal.help.map { "\(refusal.reason); \($0)" } ?? refusal.reason
        switch refusal.kind {
        case .declared: self.init(.conflict, "declared", "the file says what it is", detail: detail)
        case .never: self.init(.conflict, "never-registered", "servers are not told of the device", detail: detail)
        case .invalid: self.init(.unprocessableContent, "bad-device", "a device cannot be so", detail: detail)
        case .notKept:
            self.init(.unavailable, "device-unavailable", "it cannot be kept now", detail: detail)
            fields = ["Retry-After": "5"]
        }
        origin = refusal.origin
    }
}
