import WireBase
import WireConfig
import WireNetworkContract

extension NotificationStream {
    /// Checks the rules of a stream at a path.
    func check(_ path: String, _ checks: inout Checks) {
        checkAddress(path, &checks)
        checks.checkToken(
            authorization,
            at: $authorization,
            orAuthenticated: $authenticated,
            path,
            for: url,
            from: $url
        )
        if needs?.contains(.user) == true { checks.needUser(path, at: $needs) }
        checkResume(path, &checks)
        checkNames(headers.names, "\(path).headers", &checks)
        checkNames(secretHeaders.names, "\(path).secretHeaders", &checks)
        checkSecrets(path, &checks)
        checkTemplates(path, &checks)
        if $type.state != .uncertain { checkOthers(path, &checks) }
    }

    /// The token of the requests.
    var token: ServerCall.Authorization { .init(authorization, authenticated: authenticated) }

    private var carriesToken: Bool { if case .none = token { false } else { true } }

    // MARK: Where it is

    private func checkAddress(_ path: String, _ checks: inout Checks) {
        guard let absolute = url.absolute, $url.isWritten, $type.state != .uncertain else { return }
        let isRight = type == .webSocket ? absolute.isSocket : absolute.scheme == "http" || absolute.scheme == "https"
        guard !isRight else { return }
        let isWeb = absolute.isSocket || absolute.scheme == "http" || absolute.scheme == "https"
        let isPlain = absolute.isLoopback && (absolute.scheme == "http" || absolute.scheme == "ws")
        let scheme = type == .webSocket ? (isPlain ? "ws" : "wss") : (isPlain ? "http" : "https")
        let rest = absolute.description.dropFirst(absolute.scheme.count + 3)
        checks.report(
            .streamAddress,
            at: $url,
            type == .webSocket
                ? "\(path).url has scheme \(absolute.scheme.quoted), a WebSocket has ws or wss"
                : "\(path).url has scheme \(absolute.scheme.quoted), server-sent events come over https",
            help: type == .sse && absolute.isSocket ? "write \(setting: "type: webSocket")" : "write \(scheme)://",
            fix: type == .webSocket && isWeb ? "\(scheme)://\(rest)" : nil
        )
    }

    // MARK: What is of one type only

    private func checkOthers(_ path: String, _ checks: inout Checks) {
        guard type == .sse else {
            guard $idleLimit.isWritten else { return }
            return checks.report(
                .notOfThisStream,
                at: $idleLimit,
                "\(path).idleLimit is for event streams, and this is a WebSocket",
                help: "write 'keepAlive', or remove it"
            )
        }
        let others: [(String, Place)] = [
            ("subprotocols", $subprotocols), ("greeting", $greeting), ("payload", $payload),
            ("acknowledge", $acknowledge), ("keepAlive", $keepAlive), ("maxMessage", $maxMessage),
        ]
        for (name, place) in others where place.isWritten {
            checks.report(
                .notOfThisStream,
                at: place,
                "\(path).\(name) is for WebSockets, and this stream sends server-sent events",
                help: "write \(setting: "type: webSocket"), or remove it"
            )
        }
        guard let resume, resume.$message.isWritten else { return }
        checks.report(
            .notOfThisStream,
            at: resume.$message,
            "\(path).resume.message is for WebSockets, and this stream sends server-sent events",
            help: "write 'header' or 'query'"
        )
    }

    private func checkResume(_ path: String, _ checks: inout Checks) {
        guard let resume else { return }
        let ways = [("header", resume.$header), ("query", resume.$query), ("message", resume.$message)]
        let written = ways.filter { $0.1.state != .absent }
        if written.isEmpty {
            checks.report(
                .resumeNotOneWay,
                at: $resume,
                "\(path).resume has none of its keys",
                help:
                    "write 'header', 'query' or 'message'; the default without 'resume' is the header field Last-Event-ID"
            )
        }
        for (name, place) in written.dropFirst() {
            checks.report(
                .resumeNotOneWay,
                at: place,
                "\(path).resume.\(name): only one of the keys is used",
                help: "keep one",
                related: (written[0].1, "the first is here")
            )
        }
        if let header = resume.header { checkName(header.text, at: resume.$header, "\(path).resume.header", &checks) }
    }

    // MARK: Header fields

    private func checkNames(_ names: [(text: String, place: Place)], _ path: String, _ checks: inout Checks) {
        for (name, place) in names {
            guard (try? HeaderName(parsing: name)) != nil else {
                checks.report(.streamHeader, at: place, "\(path): invalid name of a header field \(name.quoted)")
                continue
            }
            checkName(name, at: place, "\(path).\(name)", &checks)
        }
    }

    private func checkName(_ name: String, at place: Place, _ path: String, _ checks: inout Checks) {
        let lowercased = name.lowercased()
        if lowercased == "authorization", carriesToken {
            guard $authenticated.state != .uncertain, $authorization.state != .uncertain else { return }
            checks.report(
                .streamHeader,
                at: place,
                "\(path) would replace the token",
                help: "remove it, or write \(setting: "authorization: none")"
            )
        } else if Self.ownHeaders.contains(lowercased) || lowercased.hasPrefix("sec-websocket-") {
            checks.report(.streamHeader, at: place, "\(path) is a header field that corewire sets itself")
        }
    }

    /// The fields that follow from the request, the connection and the type of the stream.
    private static let ownHeaders: Set<String> = [
        "accept", "cache-control", "connection", "content-length", "content-type", "cookie", "expect", "host",
        "http2-settings", "keep-alive", "proxy-authorization", "proxy-connection", "te", "trailer", "transfer-encoding",
        "upgrade",
    ]

    private func checkSecrets(_ path: String, _ checks: inout Checks) {
        for item in headers.fields.items where HeaderName.seemsToCarrySecret(item.name) {
            guard item.name.lowercased() != "authorization" || !carriesToken else { continue }
            checks.report(
                .openStreamHeader,
                at: item.namePlace,
                "\(path).headers.\(item.name): the field looks like a secret",
                help: "write it under 'secretHeaders': values here appear in output"
            )
        }
        let others = headers.names.map { $0.text.lowercased() }
        for (name, place) in secretHeaders.names where others.contains(name.lowercased()) {
            checks.report(
                .streamHeader,
                at: place,
                "\(path).secretHeaders.\(name) is also set in 'headers'"
            )
        }
    }

    // MARK: What is said

    private func checkTemplates(_ path: String, _ checks: inout Checks) {
        if let greeting, greeting.variablesWithoutDefault.contains("id") {
            checks.report(
                .streamVariable,
                at: $greeting,
                "\(path).greeting uses 'id', which is empty on the first connection",
                help: "write '{{ id | default: \"…\" }}', or use 'resume.message'"
            )
        }
        let said = [
            (greeting, $greeting, "greeting"), (resume?.message, resume?.$message ?? $resume, "resume.message"),
        ]
        for case (let template?, let place, let name) in said {
            for variable in Set(template.variables).sorted() where variable != "id" {
                checks.report(
                    .streamVariable,
                    at: place,
                    "\(path).\(name) uses the unknown variable \(variable.quoted)",
                    help: "write '{{ id }}', the id of the last event"
                )
            }
        }
    }
}
