package import WireBase
package import WireConfig
import WireHTTP
package import WireNotificationContract
import WirePushContract

/// What `corewire push send` sends, and where.
package struct OutgoingPush: Sendable {
    package enum Destination: Sendable {
        case webPush(WebPush)
        case ntfy(Ntfy)
        case mqtt(MQTT)
    }

    /// A Web Push subscription, and how its service treats the message.
    package struct WebPush: Sendable {
        /// The path of the subscription.
        fileprivate let file: String
        /// The path of the VAPID key; nil for an unsigned message.
        package let keyFile: String?
        package let subject: String?
        package let lifetime: Duration
        package let topic: String?
    }

    /// A topic of an ntfy server.
    package struct Ntfy: Sendable {
        package let server: WebURL
        package let topic: String
        package let token: Secret<String>?
    }

    /// A topic of an MQTT broker.
    package struct MQTT: Sendable {
        package let broker: WebURL
        package let topic: String
        package let isRetained: Bool
        /// Nil for a message that does not expire.
        package let lifetime: Duration?
        package let username: String?
        package let password: Secret<String>?
    }

    /// The levels of Web Push (RFC 8030, section 5.3) and one more; ntfy has as many.
    package enum Urgency: String, CaseIterable, Sendable {
        case veryLow = "very-low"
        case low, normal, high, critical
    }

    package let destination: Destination
    package let notification: NewNotification
    package let urgency: Urgency?
    package let categories: [String]

    package init(_ invocation: Invocation) throws {
        urgency = try invocation.choice("urgency").flatMap(Urgency.init(rawValue:))
        categories = invocation.all("category")
        var notification = try PushSendCommand.words.input(invocation)
        let typed = try TypedContent(invocation)
        (notification.data, notification.buttons) = (typed.data, typed.buttons)
        if notification.buttons?.count ?? 0 > 3 { throw UsageError("--button: three at most", for: invocation.path) }
        if notification.body == nil { (notification.title, notification.body) = (nil, notification.title) }
        self.notification = notification
        let names = ["subscription", "ntfy", "mqtt"]
        let given = names.filter { invocation.option($0) != nil }
        guard let name = given.first, let text = invocation.option(name), given.count == 1 else {
            throw UsageError(
                given.isEmpty
                    ? "expected --subscription, --ntfy or --mqtt"
                    : "expected one of --subscription, --ntfy and --mqtt",
                for: invocation.path
            )
        }
        let files = ["subscription", "vapid-key", "token", "password"].filter { invocation.option($0) == "-" }
        if files.count > 1 {
            throw UsageError("--\(files[0]) and --\(files[1]) cannot both read standard input", for: invocation.path)
        }
        guard notification.body?.isEmpty == false || notification.data != nil else {
            throw UsageError("expected a text or --data", for: invocation.path)
        }
        // Last, since it may read standard input.
        switch name {
        case "ntfy": destination = .ntfy(try Ntfy(text, invocation))
        case "mqtt": destination = .mqtt(try MQTT(text, invocation))
        default: destination = .webPush(try WebPush(text, invocation))
        }
    }
}

extension OutgoingPush.WebPush {
    fileprivate init(_ file: String, _ invocation: Invocation) throws {
        try OutgoingPush.reject(["token"] + OutgoingPush.ofMQTT, with: "--subscription", invocation)
        guard invocation.all("category").count <= 1 else {
            throw UsageError("--category is given twice", for: invocation.path)
        }
        keyFile = invocation.option("vapid-key")
        subject = invocation.option("subject")
        if let subject, !["mailto:", "https:"].contains(where: subject.hasPrefix) {
            throw UsageError("--subject takes a URL of mailto or https, not \(subject.quoted)", for: invocation.path)
        }
        guard subject == nil || keyFile != nil else {
            throw UsageError("--subject requires --vapid-key", for: invocation.path)
        }
        lifetime = try OutgoingPush.lifetime(invocation) ?? .seconds(86_400)
        topic = invocation.option("topic")
        // RFC 8030, section 5.4.
        if let topic, !(1...32).contains(topic.utf8.count) || !topic.utf8.allSatisfy(\.isURLSafe) {
            throw UsageError("--topic takes at most 32 letters, digits, '-' and '_'", for: invocation.path)
        }
        self.file = file
    }

    /// Where a message goes, and the keys that encrypt it.
    package struct Receiver: Sendable {
        package let endpoint: WebURL
        package let publicKey: [UInt8]
        package let auth: [UInt8]
    }

    /// Reads the subscription.
    package func readSubscription() throws(Failure) -> Receiver {
        let bytes = try CommandFiles.reading(file) { () throws(Fault) in try Files.read(file, upTo: .kibibytes(64)) }
        let read: WebPushSubscription
        do throws(JSONMismatch) {
            read = try WebPushSubscription(parsing: bytes, named: "subscription", toleratesUnknown: true)
        } catch {
            let member = String(error.pointer.dropFirst().replacing("/", with: "."))
            throw OutgoingPush.unusable(
                file,
                "expected JSON with 'endpoint' and 'keys'"
                    + (member.isEmpty ? "" : "; \(member.quoted) is missing, or has another type")
            )
        }
        guard let url = try? WebURL(parsing: read.endpoint), url.fragment == nil else {
            throw OutgoingPush.unusable(file, "the endpoint is not a URL")
        }
        guard url.scheme == "https" || (url.scheme == "http" && url.isLoopback) else {
            throw OutgoingPush.unusable(file, "the endpoint is not a URL of https")
        }
        return Receiver(
            endpoint: url,
            publicKey: try key(read.keys.publicKey, "p256dh"),
            auth: try key(read.keys.auth, "auth")
        )
    }

    /// Some libraries write standard Base64.
    private func key(_ text: String, _ name: String) throws(Failure) -> [UInt8] {
        let text = text.replacing("+", with: "-").replacing("/", with: "_").withoutPadding
        guard let bytes = Base64URL.bytes(of: text) else {
            throw OutgoingPush.unusable(file, "'keys.\(name)' is not Base64URL")
        }
        return bytes
    }
}

extension OutgoingPush.Ntfy {
    fileprivate init(_ text: String, _ invocation: Invocation) throws {
        try OutgoingPush.reject(
            ["vapid-key", "subject", "ttl", "topic", "id", "data", "silent", "sound", "badge"] + OutgoingPush.ofMQTT,
            with: "--ntfy",
            invocation
        )
        guard let url = try? WebURL(parsing: text), let slash = url.path.lastIndex(of: "/"), url.query == nil,
            url.fragment == nil, ["https", "http"].contains(url.scheme)
        else {
            throw UsageError(
                "--ntfy takes the URL of a topic, without a user: https://ntfy.example.com/topic",
                for: invocation.path
            )
        }
        guard !url.isReadableOnTheWay else {
            throw UsageError("--ntfy: only a server on this machine can be without TLS", for: invocation.path)
        }
        topic = String(url.path[url.path.index(after: slash)...])
        guard (1...64).contains(topic.utf8.count), topic.utf8.allSatisfy(\.isURLSafe) else {
            throw UsageError("--ntfy: a topic has 1 to 64 letters, digits, '-' and '_'", for: invocation.path)
        }
        server = WebURL(scheme: url.scheme, host: url.host, port: url.port, path: String(url.path[...slash]))
        if (try TypedContent(invocation).buttons ?? []).contains(where: { $0.link?.isEmpty ?? true }) {
            throw UsageError("--button: a button of ntfy needs a link", for: invocation.path)
        }
        token = try invocation.option("token").map { file in
            let bytes = try OutgoingPush.secret(file)
            let text = bytes.drop { $0 <= 0x20 }.reversed().drop { $0 <= 0x20 }.reversed()
            guard !text.isEmpty, text.allSatisfy(\.isVisible) else {
                throw OutgoingPush.unusable(file, "expected an access token")
            }
            return Secret(String(decoding: text, as: UTF8.self))
        }
    }
}

extension OutgoingPush.MQTT {
    fileprivate init(_ text: String, _ invocation: Invocation) throws {
        try OutgoingPush.reject(["vapid-key", "subject", "token"], with: "--mqtt", invocation)
        guard invocation.all("category").count <= 1 else {
            throw UsageError("--category is given twice", for: invocation.path)
        }
        guard let url = try? WebURL(parsing: text), url.fragment == nil,
            url.isSocket || url.isBroker && ["", "/"].contains(url.path) && url.query == nil
        else {
            throw UsageError(
                "--mqtt takes the URL of a broker, without user and topic: mqtts://broker.example.com, or "
                    + "wss://broker.example.com/mqtt",
                for: invocation.path
            )
        }
        guard !url.isReadableOnTheWay else {
            throw UsageError("--mqtt: only a broker on this machine can be without TLS", for: invocation.path)
        }
        guard let topic = invocation.option("topic") else {
            throw UsageError("--mqtt requires --topic", for: invocation.path)
        }
        guard (1...65_535).contains(topic.utf8.count), !topic.utf8.contains(where: "+#\u{0}".utf8.contains) else {
            throw UsageError(
                "--topic takes the name of a topic: 1 to 65535 bytes, without '+' and '#'",
                for: invocation.path
            )
        }
        (broker, self.topic) = (url, topic)
        isRetained = invocation.flag("retain")
        lifetime = try OutgoingPush.lifetime(invocation)
        username = invocation.option("username")
        guard username != nil || invocation.option("password") == nil else {
            throw UsageError("--password requires --username", for: invocation.path)
        }
        password = try invocation.option("password").map { file in
            var bytes = try OutgoingPush.secret(file)
            if bytes.last == UInt8(ascii: "\n") { bytes.removeLast() }
            if bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
            guard !bytes.isEmpty, let password = String(validating: bytes, as: UTF8.self) else {
                throw OutgoingPush.unusable(file, "expected a password")
            }
            return Secret(password)
        }
    }
}

extension OutgoingPush {
    /// Rejects options of another destination.
    fileprivate static func reject(_ options: [String], with other: String, _ invocation: Invocation) throws {
        if let found = options.first(where: invocation.flag) {
            throw UsageError("--\(found) cannot be used with \(other)", for: invocation.path)
        }
    }

    /// The options of MQTT only.
    fileprivate static let ofMQTT = ["retain", "username", "password"]

    fileprivate static func lifetime(_ invocation: Invocation) throws -> Duration? {
        guard let lifetime = try invocation.option("ttl").map({ try invocation.duration($0, option: "ttl") }) else {
            return nil
        }
        guard (.zero ... .seconds(365 * 86_400)).contains(lifetime) else {
            throw UsageError("--ttl must be 0s to 365d", for: invocation.path)
        }
        return lifetime
    }

    fileprivate static func secret(_ file: String) throws -> [UInt8] {
        try CommandFiles.reading(file) { () throws(Fault) in try Files.read(file, upTo: .kibibytes(16)) }
    }

    fileprivate static func unusable(_ file: String, _ reason: String) -> Failure {
        Failure(
            message: "cannot use \(file == "-" ? "standard input" : file.quoted): \(reason)",
            status: .problemsFound
        )
    }
}

extension UInt8 {
    /// Whether it is a character of Base64URL.
    fileprivate var isURLSafe: Bool { isLetter || isDigit || self == UInt8(ascii: "-") || self == UInt8(ascii: "_") }
}
