import WireBase
import WireConfig
import WireHTTP

// What programs write in the bodies of requests, read strictly.

extension AltcraftParameters {
    /// Lays what is given over what the file says.
    mutating func read(_ members: inout JSONMembers) throws(Problem) {
        if let fields = try members.value("customFields"), !fields.isNull {
            let given = try Self.plain(try Self.members(fields, "customFields", members), "customFields", members)
            customFields.removeAll { old in given.contains { $0.key == old.key } }
            customFields += given
        }
        if let fields = try members.value("profileFields"), !fields.isNull {
            let given = try Self.fields(fields, "profileFields", members)
            profileFields.removeAll { old in given.contains { $0.key == old.key } }
            profileFields += given
        }
        let declared = categories
        let given = try members.objects("categories") { inner throws(Problem) in
            let name = try inner.text("name")
            // What is not said of a category is what the file says of it.
            let known = declared.first { $0.name == name }
            return Category(
                name,
                title: try inner.textIfAny("title") ?? known?.title,
                steady: try inner.booleanIfAny("steady") ?? known?.steady ?? false,
                active: try inner.booleanIfAny("active") ?? true
            )
        }
        if let given { categories = given }
        sync = try members.booleanIfAny("sync") ?? sync
        replace = try members.booleanIfAny("replace") ?? replace
        skipTriggers = try members.booleanIfAny("skipTriggers") ?? skipTriggers
    }

    private static func members(_ value: JSONValue, _ name: String, _ outer: JSONMembers) throws(Problem)
        -> [(key: String, value: JSONValue)]
    {
        guard let members = value.members else { throw Problem.poor("expected an object", name) }
        return members
    }

    /// Fields of a subscription are plain values (event 475 of the SDK for iOS).
    private static func plain(
        _ fields: [(key: String, value: JSONValue)],
        _ name: String,
        _ outer: JSONMembers
    ) throws(Problem) -> [(key: String, value: JSONValue)] {
        for field in fields where !field.value.isPlain {
            throw Problem.poor("the field \(field.key.quoted) is no text, number, true or false", name)
        }
        return fields
    }

    /// Fields of a profile: values, or what is to be done to them.
    static func fields(_ value: JSONValue, _ name: String, _ outer: JSONMembers) throws(Problem)
        -> [(key: String, value: JSONValue)]
    {
        let fields = try members(value, name, outer)
        for field in fields {
            guard let change = field.value.members, field.value["action"] != nil else { continue }
            let words = ProfileAction.allCases.map(\.rawValue).listed("or")
            guard let action = field.value["action"]?.string.flatMap({ ProfileAction(rawValue: $0) }) else {
                throw Problem.poor("the action of \(field.key.quoted) is none of \(words)", name)
            }
            guard action == .unset || field.value["value"] != nil else {
                throw Problem.poor(
                    "the action '\(action.rawValue)' of \(field.key.quoted) needs a value",
                    name
                )
            }
            if let strange = change.first(where: { $0.key != "action" && $0.key != "value" }) {
                throw Problem.poor("\(strange.key.quoted) of \(field.key.quoted) is neither action nor value", name)
            }
        }
        return fields
    }
}

extension MobileEvent {
    init(_ members: inout JSONMembers) throws(Problem) {
        self.init(siteID: try members.text("sid"), name: try members.text("name"))
        (clientID, payload) = (try members.textIfAny("clientId"), try members.value("payload"))
        (push, matchingType) = (try members.textIfAny("push"), try members.textIfAny("matchingType"))
        (matching, subscription) = (try members.value("matching"), try members.value("subscription"))
        profileFields = try members.value("profileFields")
        guard subscription.map(Self.hasChannel) ?? true else {
            throw Problem.poor("expected 'channel': \(Self.channels.listed("or"))", "subscription")
        }
        let given = try members.object("utm") { inner throws(Problem) in
            var utm = UTM()
            (utm.campaign, utm.content) = (try inner.textIfAny("campaign"), try inner.textIfAny("content"))
            (utm.keyword, utm.medium) = (try inner.textIfAny("keyword"), try inner.textIfAny("medium"))
            (utm.source, utm.temp) = (try inner.textIfAny("source"), try inner.textIfAny("temp"))
            return utm
        }
        if let given { utm = given }
        if let flaw { throw Problem.poor(flaw.reason, flaw.member) }
    }
}

extension MobileEvent {
    fileprivate static let channels = ["email", "sms", "push", "cc_data"]

    fileprivate static func hasChannel(_ subscription: JSONValue) -> Bool {
        subscription.isNull || (subscription["channel"]?.string).map(channels.contains) ?? false
    }
}

extension AltcraftEvent {
    /// What the SDKs call what is wrong with a request of the local API; nil where they do not.
    init?(flawOf request: Request) {
        guard let json = try? request.jsonValue() else {
            self = .notJSON
            return
        }
        if json["customFields"]?.members?.contains(where: { !$0.value.isPlain }) ?? false {
            self = .notPlain
        } else if let subscription = json["subscription"], !MobileEvent.hasChannel(subscription) {
            self = .strangeSubscription
        } else {
            return nil
        }
    }
}

extension JSONValue {
    fileprivate var isPlain: Bool {
        switch self {
        case .string, .integer, .number, .decimal, .boolean: true
        case .null, .array, .object: false
        }
    }
}

extension JSONValue {
    var isNull: Bool { if case .null = self { true } else { false } }
}

extension Problem {
    /// A member that JSON allows, and push servers do not.
    static func poor(_ detail: String, _ name: String) -> Problem {
        Problem(PushRefusal(.invalid, "\(name.quoted): \(detail)"))
    }
}
