import WireAddonContract
import WireBase
import WireConfig
import WireDeviceContract

/// A line from an add-on.
enum AddonMessage: Sendable {
    case ready(AddonReadiness)
    /// The answer to the question with this number.
    case answer(Int, JSONValue)
    case log(level: String, message: String)

    /// Deep enough for an answer, and shallow enough to be cheap.
    private static let limits: ReadingLimits = {
        var limits = ReadingLimits()
        (limits.depth, limits.nodes) = (16, 20_000)
        return limits
    }()

    init(_ line: [UInt8], _ settings: AddonSettings) throws(Fault) {
        guard line.first(where: { $0 != 0x20 && $0 != 0x09 }) == UInt8(ascii: "{"),
            let value = try? JSONValue(parsing: line, named: "line", limits: Self.limits), value.members != nil
        else {
            throw Fault(
                "expected a JSON object, found \(String(decoding: line, as: UTF8.self).shown(upTo: 80))"
            )
        }
        switch value["type"]?.string {
        case "ready"?: self = .ready(try AddonReadiness(value, settings))
        case "answer"?:
            guard let id = value["id"]?.integer else { throw Fault("found an answer without an 'id'") }
            self = .answer(id, value)
        case "log"?:
            guard let message = value["message"]?.string else {
                throw Fault("found a 'log' without a 'message'")
            }
            try value.expectOnly(["message", "level"])
            self = .log(level: value["level"]?.string ?? "info", message: message)
        case let type:
            let found = type.map { "the type \($0.shown(upTo: 40).quoted)" } ?? "no 'type'"
            throw Fault("found \(found), expected 'ready', 'answer' or 'log'")
        }
    }
}

/// The first line of an add-on.
struct AddonReadiness: Sendable {
    /// The points it listens to.
    let listens: AddonPoints
    /// The points it answers.
    let answers: AddonPoints
    /// Its own version, for display.
    let version: String?

    init(_ value: JSONValue, _ settings: AddonSettings) throws(Fault) {
        guard let version = value["protocol"] else {
            throw .init("'protocol' is missing, expected \(AddonProtocol.version)")
        }
        guard version.integer == AddonProtocol.version else {
            let found = version.integer.map { "\($0)" } ?? version.text().shown(upTo: 40)
            throw .init("'protocol' is \(found), expected \(AddonProtocol.version)")
        }
        try value.expectOnly(["protocol", "hooks", "answers", "version"])
        let answers = try Self.points("answers", value["answers"], settings, onlyQuestions: true)
        if let other = answers?.all.first(where: { !$0.isQuestion }) {
            throw .init("'answers' has \(other.name.quoted), which is not a question")
        }
        self.answers = answers ?? AddonPoints()
        listens = (try Self.points("hooks", value["hooks"], settings) ?? settings.points).union(self.answers)
        self.version = value["version"]?.string?.shown(upTo: 40)
    }

    /// Points by name, or all of a group; nil where the member is absent.
    private static func points(
        _ key: String,
        _ value: JSONValue?,
        _ settings: AddonSettings,
        onlyQuestions: Bool = false
    ) throws(Fault) -> AddonPoints? {
        guard let value else { return nil }
        guard let items = value.array else { throw .init("\(key.quoted) is not a list") }
        var points = AddonPoints()
        for item in items {
            let name = item.string ?? item.text()
            let found = AddonPoint.allCases.filter {
                $0.name == name || ($0.group == name && (!onlyQuestions || $0.isQuestion))
            }
            guard !found.isEmpty else {
                let near = Nearest.name(to: name, among: AddonPoint.allCases.map(\.name))
                throw .init(
                    "\(key.quoted) has \(name.shown(upTo: 40).quoted), which is not a hook"
                        + (near.map { "; did you mean '\($0)'?" } ?? "")
                )
            }
            for point in found {
                guard settings.points.contains(point) else {
                    throw .init(
                        "\(key.quoted) has \(point.name.quoted), which the file does not allow: add '\(point.group)' to addons.\(settings.name).hooks"
                    )
                }
                points.insert(point)
            }
        }
        return points
    }
}

extension AddonQuestion {
    /// Interprets an answer; nil where it changes nothing.
    func reply(_ answer: JSONValue) throws(Fault) -> AddonReply? {
        try answer.expectOnly(answers, besides: ["type", "id"])
        switch self {
        case .deviceWillSetUp(let device), .deviceWillRegister(let device):
            guard let signInRequest = answer["device"] else { return nil }
            return .device(try device.changed(by: signInRequest))
        case .received:
            let veto = try answer.textIfAny("veto")
            guard let words = answer["present"] else { return .verdict(AddonVerdict(veto: veto)) }
            guard let present = words.array?.map(\.string), !present.contains(nil) else {
                throw .init("'present' is not a list of words")
            }
            return .verdict(AddonVerdict(veto: veto, present: present.compactMap(\.self)))
        case .request: return .request(refusal: try answer.textIfAny("refuse"))
        case .link:
            guard let opened = answer["opened"] else { return nil }
            guard let isOpened = opened.boolean else { throw .init("'opened' is not true or false") }
            return .link(isOpened: isOpened)
        case .signIn(let signInRequest): return try AddonSignInAnswer(answer, to: signInRequest).map(AddonReply.signIn)
        }
    }
}

extension AddonQuestion {
    /// The members that an answer may have.
    private var answers: [String] {
        switch self {
        case .deviceWillSetUp, .deviceWillRegister: ["device"]
        case .received: ["veto", "present"]
        case .request: ["refuse"]
        case .link: ["opened"]
        case .signIn: ["refuse", "callback", "username", "password", "network", "token"]
        }
    }
}

extension AddonSignInAnswer {
    /// Nil where the add-on does not take part; the values are in no message, even invalid ones.
    fileprivate init?(_ answer: JSONValue, to signInRequest: AddonSignIn) throws(Fault) {
        if let refusal = try answer.textIfAny("refuse") {
            self = .refusal(refusal)
            return
        }
        let given = ["callback", "username", "password", "network", "token"].filter { answer[$0] != nil }
        guard !given.isEmpty else { return nil }
        switch (signInRequest.way, given) {
        case (.open, ["callback"]): self = .callback(try answer.text("callback"))
        case (.credentials, ["username", "password"]):
            self = .credentials(
                .password(name: try answer.text("username"), Secret(try answer.text("password")))
            )
        case (.credentials, ["network", "token"]):
            self = .credentials(.network(try answer.text("network"), token: Secret(try answer.text("token"))))
        case (.open, _): throw .init("the answer has \(given.listed("and")), expected 'callback', or 'refuse'")
        case (.enter, _): throw .init("the answer has \(given.listed("and")), expected nothing, or 'refuse'")
        case (.credentials, _):
            throw .init(
                "the answer has \(given.listed("and")), expected 'username' and 'password', 'network' and 'token', or 'refuse'"
            )
        }
    }
}

extension KnownDevice {
    /// Applies an add-on's changes; null removes a value.
    fileprivate func changed(by signInRequest: JSONValue) throws(Fault) -> KnownDevice {
        guard let members = signInRequest.members else { throw .init("'device' is not an object") }
        var device = self
        for (key, value) in members {
            switch key {
            case "alias":
                guard let alias = value.string else { throw .init("'device.alias' is not text") }
                device.alias = alias
            case "email": device.email = try value.textOrNull("device.email")
            case "tags":
                for (name, value) in try value.entries("device.tags") {
                    guard !device.tags.contains(where: { $0.name == name && $0.kind == .system }) else {
                        throw .init("the tag \(name.shown(upTo: 40).quoted) is a system tag, set by corewire")
                    }
                    if case .null = value {
                        device.removeTags([name])
                    } else {
                        device.addTags([DeviceTag(name, try value.textOrNull("device.tags"))])
                    }
                }
            case "tokens":
                for (platform, value) in try value.entries("device.tokens") {
                    device.setToken(try value.textOrNull("device.tokens"), of: platform)
                }
            // Members that are unchanged in the answer are ignored.
            case "id", "systemTags": break
            default:
                throw .init("'device' has \(key.shown(upTo: 40).quoted), which is not a member of a device")
            }
        }
        return device
    }
}

extension JSONValue {
    /// Rejects unknown members, which are usually misspelt; their values are in no message.
    fileprivate func expectOnly(_ names: [String], besides common: [String] = ["type"])
        throws(Fault)
    {
        let known = common + names
        guard let other = (members ?? []).map(\.key).first(where: { !known.contains($0) }) else { return }
        let near = Nearest.name(to: other, among: known).map { "; did you mean '\($0)'?" } ?? ""
        throw .init("the message has \(other.shown(upTo: 40).quoted), expected \(names.listed())\(near)")
    }

    fileprivate func textIfAny(_ name: String) throws(Fault) -> String? {
        try self[name]?.textOrNull(name)
    }

    fileprivate func textOrNull(_ name: String) throws(Fault) -> String? {
        switch self {
        case .null: return nil
        case .string(let text): return text
        default: throw .init("\(name.quoted) is not text or null")
        }
    }

    /// Checks that a text has a length that all uses accept.
    fileprivate func text(_ name: String) throws(Fault) -> String {
        guard let text = self[name]?.string, (1...16_384).contains(text.utf8.count) else {
            throw .init("\(name.quoted) is not text of 1 to 16384 bytes")
        }
        return text
    }

    fileprivate func entries(_ name: String) throws(Fault) -> [(key: String, value: JSONValue)] {
        guard let members else { throw .init("\(name.quoted) is not an object") }
        return members
    }
}
