import WireBase
import WireConfig
import WireNetworkContract
import WireNotificationContract

/// The messages of a user of a Gotify server.
struct GotifyStream: StreamSource {
    @Setting var url: Address
    @Setting var accessToken: Secret<HeaderValue>
    @Setting var minPriority: Int
    @Setting var needs: [UserNeed]?
    @Setting var keepAlive: KeepAlive

    init(_ keys: inout Keys) {
        _url = keys.required("url", "URL of the server.", .takes(.root), .example("https://gotify.example.com"))
        _accessToken = keys.required(
            "token",
            "Token of a client; the token of an application cannot read.",
            .example("\"${env:GOTIFY_TOKEN}\"")
        )
        _minPriority = keys.value("minPriority", "Lowest priority of messages to read.", or: 0, .in(0...10))
        _needs = StreamKeys.needs(&keys)
        _keepAlive = keys.value("keepAlive", "Keep-alive of the idle WebSocket.", or: .placeholder)
    }
}

extension GotifyStream {
    static let word = "gotify"
    static let help = "The messages of a user of a Gotify server."

    var urlPlace: Place { $url }
    /// The token of the user is for the app's servers, not for this one.
    var token: ServerCall.Authorization { .none }
    var credentialHelp: String? { "check 'token', which must be that of a client" }
    var connectionSettings: [String?] {
        [
            url.text, accessToken.reveal().text, "\(minPriority)", "\(keepAlive.every)", "\(keepAlive.within)",
            needs.map { "\($0)" },
        ]
    }
    var positionScope: String? { "\(Self.word) \(url.text)" }

    func check(_ path: String, _ checks: inout Checks) {
        checks.checkNeeds(of: self, at: $needs, path)
        if $url.isWritten { checks.checkStreamAddress(url, at: $url, "\(path).url", schemes: ["https", "http"]) }
        guard $accessToken.isWritten else { return }
        if accessToken.reveal().text.hasPrefix("A"), accessToken.reveal().text.utf8.count == 15 {
            checks.report(
                .streamCredentials,
                at: $accessToken,
                "\(path).token is the token of an application, which can only send",
                help: "create a client in Gotify and use its token"
            )
        }
    }

    func read(_ session: StreamSession, by requests: any ServerClient, until leave: OneShot) async -> StreamEnd {
        let messages = GotifyMessages(stream: self, session: session, requests: requests)
        do throws(StreamEnd) { try await messages.begin() } catch { return error }
        let reader = SocketReader(session: session, keepAlive: keepAlive, limit: .mebibytes(1))
        return await reader.read(
            messages.call(path: "stream"),
            by: requests,
            until: leave,
            opened: { () async throws(StreamEnd) in try await messages.catchUp() }
        ) { bytes, _ async throws(NotificationFailure) in
            try await messages.take(bytes)
            return true
        }
    }
}
