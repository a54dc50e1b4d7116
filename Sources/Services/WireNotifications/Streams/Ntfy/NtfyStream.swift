import WireBase
import WireConfig
import WireHTTP
import WireNetworkContract
import WireNotificationContract

/// Topics of an ntfy server.
struct NtfyStream: StreamSource {
    @Setting var url: Address
    @Setting var topics: [Secret<String>]
    @Setting var accessToken: Secret<HeaderValue>?
    @Setting var username: String?
    @Setting var password: Secret<String>?
    @Setting var minPriority: Int
    @Setting var tags: [String]
    @Setting var needs: [UserNeed]?
    @Setting var idleLimit: Duration

    init(_ keys: inout Keys) {
        _url = keys.required(
            "url",
            "URL of the server.",
            .takes(.root),
            .example("https://ntfy.example.com"),
            .standIn(at: "ntfy")
        )
        _topics = keys.required(
            "topics",
            "Topics to read. On a server without access control the name of a topic is its password.",
            .notEmpty,
            .example("[\"${env:NTFY_TOPIC}\"]")
        )
        _accessToken = keys.optional(
            "token",
            "Access token.",
            .described(excludes: "username"),
            .example("\"${env:NTFY_TOKEN}\"")
        )
        _username = keys.optional("username", "User name.", .described(needs: "password"), .example("cart-17"))
        _password = keys.optional(
            "password",
            "Password of the user.",
            .described(needs: "username"),
            .example("\"${env:NTFY_PASSWORD}\"")
        )
        _minPriority = keys.value("minPriority", "Lowest priority of messages to read.", or: 1, .in(1...5))
        _tags = keys.value("tags", "Tags that messages must have, all of them.", or: [], .example("[ward-3]"))
        _needs = StreamKeys.needs(&keys)
        _idleLimit = StreamKeys.idleLimit(&keys, or: .seconds(120))
    }
}

extension NtfyStream {
    static let word = "ntfy"
    static let help = "Topics of an ntfy server."

    var urlPlace: Place { $url }
    /// The token of the user is for the app's servers, not for this one.
    var token: ServerCall.Authorization { .none }
    var credentialHelp: String? {
        if accessToken != nil { return "check 'token'" }
        return username == nil ? "reading the topics requires 'token'" : "check 'username' and 'password'"
    }
    var connectionSettings: [String?] {
        [
            url.text, accessToken?.reveal().text, username, password?.reveal(), "\(minPriority)", "\(idleLimit)",
            needs.map { "\($0)" }, topicList, tags.joined(separator: "\n"),
        ]
    }
    var positionScope: String? { "\(Self.word) \(url.text) \(topicList)" }

    /// The topics as in the path of a request.
    var topicList: String { topics.map { $0.reveal() }.joined(separator: ",") }

    // MARK: Rules

    func check(_ path: String, _ checks: inout Checks) {
        checks.checkNeeds(of: self, at: $needs, path)
        if $url.isWritten { checks.checkStreamAddress(url, at: $url, "\(path).url", schemes: ["https", "http"]) }
        checkCredentials(path, &checks)
        guard $topics.isWritten else { return }
        for topic in topics.map({ $0.reveal() }) where !Self.isTopic(topic) {
            checks.report(
                .invalidTopic,
                at: $topics,
                "\(path).topics has an invalid topic of \(topic.count) characters",
                help: "a topic has up to 64 letters, digits, '-' and '_'"
            )
        }
        guard accessToken == nil, $username.state == .absent, url.absolute?.isLoopback == false,
            let guessable = topics.map({ $0.reveal() }).first(where: { Self.isTopic($0) && $0.count < Self.safeLength })
        else { return }
        checks.report(
            .guessableTopic,
            at: $topics,
            "\(path).topics has a topic of \(guessable.count) characters, and requests have no 'token'",
            help: "on a server without access control use \(Self.safeLength) random characters or more"
        )
    }

    private func checkCredentials(_ path: String, _ checks: inout Checks) {
        if $accessToken.state != .absent, $username.state != .absent {
            checks.report(
                .streamCredentials,
                at: $username,
                "\(path) has both 'token' and 'username'; only one is allowed",
                help: "keep 'token'"
            )
        } else if let username, username.contains(":") {
            checks.report(
                .streamCredentials,
                at: $username,
                "\(path).username contains ':', which separates it from the password",
                help: "write a name without ':', or 'token'"
            )
        } else if ($username.state == .absent) != ($password.state == .absent) {
            checks.report(
                .streamCredentials,
                at: $username.state == .absent ? $password : $username,
                "\(path) has only one of 'username' and 'password'",
                help: "write both, or 'token'"
            )
        }
    }

    /// The length of a name that cannot be guessed.
    private static let safeLength = 12

    private static func isTopic(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy { $0.isLetter || $0.isDigit || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_") }
    }

    // MARK: Reading

    func read(_ session: StreamSession, by requests: any ServerClient, until leave: OneShot) async -> StreamEnd {
        let reader = NtfyReader(topics: request, session: session, requests: requests) {
            (message, id, position) async throws(NotificationFailure) in
            _ = try await session.accept(.local(NtfyMessage(message).notification), id: id, position: position)
        }
        return await session.reading(until: leave) { await reader.read() }
    }

    private var request: NtfyTopics {
        var request = NtfyTopics(url: url, list: topicList, idleLimit: idleLimit)
        if minPriority > 1 {
            request.filters.append("priority=\((minPriority...5).map(String.init).joined(separator: ","))")
        }
        if !tags.isEmpty { request.filters.append("tags=\(tags.map(\.percentEncoded).joined(separator: ","))") }
        if let accessToken {
            request.authorization = Secret("Bearer \(accessToken.reveal().text)")
        } else if let username, let password {
            request.authorization = Secret(
                "Basic \(Base64.text(of: Array("\(username):\(password.reveal())".utf8)))"
            )
        }
        return request
    }
}
