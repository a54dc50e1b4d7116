import WireBackendContract
import WireBackends
import WireBase
import WireConfig
import WireHTTP

/// A push to send by the local API, through one of the servers.
struct PushOrder: Sendable {
    typealias Server = BackendPushServer.Name

    let via: Server
    /// The name in the order: a registrar of the file, or a server.
    let name: String
    /// The path of the only Health Cloud registrar to use; all of them where nil.
    let path: String?
    let title: String?
    let body: String?
    let categories: [String]
    let aliases: [String]
    let variant: String?
    let data: [(key: String, value: JSONValue)]
    let isSilent: Bool
    let sound: String?
    let badge: Int?
    let lifetime: Int?
    let buttons: [(label: String, link: String?)]
    let image: String?
    let link: String?
    let code: String?

    init(_ members: inout JSONMembers, among named: [String: PushAdmissions.Registered]) throws(Problem) {
        name = try members.text("via")
        // A name in the file takes precedence over a server of the same name.
        let standing = named[name]
        guard let via = standing?.server ?? Server(rawValue: name) else {
            let names = Array(Set(named.keys).union(Server.allCases.map(\.rawValue))).sorted()
            throw members.failure("found \(name.quoted), expected \(names.listed("or"))", "via")
        }
        self.via = via
        path = if case .health(let path)? = standing { path } else { nil }
        title = try members.textIfAny("title")
        let alert = try members.textIfAny("alert")
        let body = try members.textIfAny("body")
        guard alert == nil || body == nil else { throw members.failure("'alert' and 'body' are both set", "alert") }
        self.body = body ?? alert
        categories = try members.texts("categories") ?? []
        aliases = try members.texts("aliases") ?? []
        let own: String? = if case .ups(let variant)? = standing { variant } else { nil }
        variant = try members.textIfAny("variant") ?? own
        data = try members.object("data") { data throws(Problem) in try data.all() } ?? []
        isSilent = try members.booleanIfAny("silent") ?? false
        sound = try members.textIfAny("sound")
        badge = try members.integerIfAny("badge", in: 0...Int(Int32.max))
        lifetime = try members.integerIfAny("ttl", in: 0...Int(Int32.max))
        buttons =
            try members.objects("buttons") { button throws(Problem) in
                (label: try button.text("label"), link: try button.textIfAny("link"))
            } ?? []
        image = try members.textIfAny("image")
        link = try members.textIfAny("link")
        code = try members.textIfAny("twoFactorCode")
        guard buttons.count <= 3 else { throw members.failure("expected 3 at most", "buttons") }
        guard isSilent || title != nil || self.body != nil || code != nil else {
            throw members.failure("expected 'title', 'body', 'alert' or 'twoFactorCode', or 'silent': true", "body")
        }
        if variant != nil, via != .ups { throw members.failure("only 'ups' has variants", "variant") }
        if lifetime != nil, via == .halo { throw members.failure("not supported by 'halo'", "ttl") }
        if !categories.isEmpty, via == .health { throw members.failure("not supported by 'health'", "categories") }
    }

    // MARK: Bodies for the servers

    /// The data, with values that have no member of their own there.
    private var dataWithAll: [(key: String, value: JSONValue)] {
        var all = data
        if let link { all.append(("url", .string(link))) }
        if !buttons.isEmpty { all.append(("buttons", .string(buttonsJSON.text()))) }
        return all + twoFactor
    }

    private var twoFactor: [(key: String, value: JSONValue)] {
        code.map { [("type", .string("2_factor")), ("code", .string($0))] } ?? []
    }

    private var buttonsJSON: JSONValue {
        .array(buttons.map { .members(["label": .string($0.label), "link": $0.link.map(JSONValue.string)]) })
    }

    private static func texts(_ texts: [String]) -> JSONValue? {
        texts.isEmpty ? nil : .array(texts.map(JSONValue.string))
    }

    /// The body for `/rest/sender`.
    var forUnifiedPush: JSONValue {
        var data = dataWithAll
        // With Firebase this is the only title.
        if let title { data.append(("title", .string(title))) }
        if let image { data.append(("image", .string(image))) }
        return .members([
            "message": .members([
                "alert": isSilent ? nil : body.map(JSONValue.string),
                "sound": isSilent ? nil : .string(sound ?? "default"), "badge": badge.map(JSONValue.integer),
                "user-data": .object(data),
                "apns": .members([
                    "title": isSilent ? nil : title.map(JSONValue.string), "content-available": .boolean(isSilent),
                ]),
            ]),
            "criteria": .members([
                "variants": variant.map { .array([.string($0)]) }, "alias": Self.texts(aliases),
                "categories": Self.texts(categories),
            ]), "config": .members(["ttl": lifetime.map(JSONValue.integer)]),
        ])
    }

    /// The body for `/altcraft/corewire/send`.
    var forAltcraft: JSONValue {
        .members([
            "message": .members([
                "title": title.map(JSONValue.string), "body": body.map(JSONValue.string),
                "media": image.map(JSONValue.string), "clickUrl": link.map(JSONValue.string),
                "buttons": buttons.isEmpty ? nil : buttonsJSON, "sound": sound.map(JSONValue.string),
                "badge": badge.map(JSONValue.integer), "silent": .boolean(isSilent),
                "ttl": lifetime.map(JSONValue.integer), "data": .object(data + twoFactor),
            ]), "to": .members(["profiles": Self.texts(aliases), "categories": Self.texts(categories)]),
        ])
    }

    /// The body for `messages` below a registrar's path.
    var forHealthCloud: JSONValue {
        .members([
            "title": title.map(JSONValue.string), "body": body.map(JSONValue.string),
            "sound": sound.map(JSONValue.string), "badge": badge.map(JSONValue.integer),
            "image": image.map(JSONValue.string), "silent": .boolean(isSilent), "ttl": lifetime.map(JSONValue.integer),
            "data": .object(dataWithAll), "to": .members(["deviceIds": Self.texts(aliases)]),
        ])
    }

    /// The body for `api/push/schedule/`; a category is a tag, with its value after `=`.
    var forHalo: JSONValue {
        var data = dataWithAll
        if isSilent { data.append(("content_available", .integer(1))) }
        if let image {
            data.append(("image", .string(JSONValue.members(["url": .string(image)]).text())))
        }
        let notification = JSONValue.members([
            "title": title.map(JSONValue.string), "body": body.map(JSONValue.string),
            "sound": sound.map(JSONValue.string), "badge": badge.map(JSONValue.integer),
        ])
        let tags = categories.map { category in
            let parts = category.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            return JSONValue.members([
                "name": .string(parts[0]), "value": parts.count == 2 ? .string(parts[1]) : nil,
            ])
        }
        return .members([
            "filterTags": .array(tags), "aliases": .array(aliases.map(JSONValue.string)),
            "payload": .members(["notification": isSilent ? nil : notification, "data": .object(data)]),
        ])
    }
}
