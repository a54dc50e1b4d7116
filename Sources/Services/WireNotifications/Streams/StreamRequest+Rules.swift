import WireBase
import WireConfig
import WireNetworkContract

extension StreamRequest {
    /// Checks the rules of a stream at a path.
    func check(_ path: String, isSocket: Bool, _ checks: inout Checks) {
        checkAddress(path, isSocket: isSocket, &checks)
        checks.checkToken(
            authorization,
            at: $authorization,
            orAuthenticated: $authenticated,
            path,
            for: url,
            from: $url
        )
        if needs?.contains(.user) == true { checks.needUser(path, at: $needs) }
        checkResume(path, isSocket: isSocket, &checks)
        checkCatchUp(path, &checks)
        checkNames(headers.names, "\(path).headers", &checks)
        checkNames(secretHeaders.names, "\(path).secretHeaders", &checks)
        checkSecrets(path, &checks)
    }

    private var carriesToken: Bool { if case .none = token { false } else { true } }

    // MARK: Where it is

    private func checkAddress(_ path: String, isSocket: Bool, _ checks: inout Checks) {
        guard $url.isWritten else { return }
        checks.checkStreamAddress(url, at: $url, "\(path).url", schemes: isSocket ? ["wss", "ws"] : ["https", "http"])
    }

    private func checkCatchUp(_ path: String, _ checks: inout Checks) {
        guard let catchUp, catchUp.$url.isWritten, let authorization, authorization != .none else { return }
        checks.needTokenHost(
            of: catchUp.url,
            at: catchUp.$url,
            "\(path).catchUp.url",
            orElse: "authorization: none",
            of: path,
            from: catchUp.$url
        )
    }

    private func checkResume(_ path: String, isSocket: Bool, _ checks: inout Checks) {
        guard let resume else { return }
        if !isSocket, resume.$message.isWritten {
            checks.report(
                .notOfThisStream,
                at: resume.$message,
                "\(path).resume.message is for WebSockets",
                help: "write 'header' or 'query'"
            )
        }
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
}

extension Checks {
    /// Checks the scheme of a stream's URL; the secure scheme comes first.
    mutating func checkStreamAddress(_ url: Address, at place: Place, _ path: String, schemes: [String]) {
        guard let absolute = url.absolute, !schemes.contains(absolute.scheme) else { return }
        let isPlain = absolute.isLoopback && ["http", "ws"].contains(absolute.scheme)
        let scheme = isPlain ? schemes[1] : schemes[0]
        let rest = absolute.description.dropFirst(absolute.scheme.count + 3)
        let isSocket = schemes[0] == "wss"
        report(
            .streamAddress,
            at: place,
            "\(path) has scheme \(absolute.scheme.quoted), expected \(scheme.quoted)",
            help: !isSocket && absolute.isSocket
                ? "write \(setting: "type: webSocket"), or \(scheme)://" : "write \(scheme)://",
            fix: isSocket && ["https", "http"].contains(absolute.scheme) ? "\(scheme)://\(rest)" : nil
        )
    }
}
