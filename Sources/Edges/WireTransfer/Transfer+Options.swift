import CCurl
import WireBase
import WireHTTP

extension Transfer {
    /// Sets libcurl's options for the request.
    func prepare() throws(TransferFailure) {
        try setTransport()
        try setProxy()
        try setTrust()
        try setRequest()
        try setCallbacks()
    }

    private func setTransport() throws(TransferFailure) {
        try easy.set(CURLOPT_URL, hop.url.text)
        try easy.set(CURLOPT_PATH_AS_IS, 1)
        try easy.set(CURLOPT_NOSIGNAL, 1)
        // A pending name lookup must not block the thread when its transfer ends.
        try easy.set(CURLOPT_QUICK_EXIT, 1)
        try easy.set(CURLOPT_PROTOCOLS_STR, hop.url.isSecure ? "https" : "http")
        // HTTP/2 is disabled: Debian's libcurl loses transfers that share a connection.
        try easy.set(CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1)
        try easy.set(CURLOPT_TCP_KEEPALIVE, 1)
        // A silent stream detects a dead server after about three minutes instead of ten.
        try easy.set(CURLOPT_TCP_KEEPINTVL, 15)
        try setLookups()
        try easy.set(CURLOPT_CONNECTTIMEOUT_MS, hop.connectTimeout.milliseconds)
        try easy.set(CURLOPT_BUFFERSIZE, 64 * 1_024)
        if let socket = hop.socket { try easy.set(CURLOPT_UNIX_SOCKET_PATH, socket) }
    }

    /// Repeats name lookups after a network change, and that of a server which could not be reached: its address may be
    /// another.
    private func setLookups() throws(TransferFailure) {
        if let name = lookedUp, network.doubtedNames.contains(name) {
            try easy.setList(CURLOPT_RESOLVE, ["-\(name)"])
        }
        guard let doubted = network.doubted else { return }
        let seconds = (Monotonic.now - doubted) / 1_000_000_000
        // libcurl caches addresses for a minute; those learnt since then may be used.
        if seconds < 60 { try easy.set(CURLOPT_DNS_CACHE_TIMEOUT, Int(seconds)) }
    }

    /// The name whose addresses libcurl caches, with its port; nil where that is the name of a proxy, or none.
    var lookedUp: String? {
        guard hop.socket == nil, proxy == nil, !hop.url.host.contains(":") else { return nil }
        return "\(hop.url.host):\(hop.url.port)"
    }

    /// The request's proxy; nil where the exceptions match its host.
    var proxy: String? {
        guard hop.socket == nil, !hop.url.isLoopback, options.allowsAddress == nil else { return nil }
        return hop.url.isSecure ? options.proxies.https : options.proxies.http
    }

    private func setProxy() throws(TransferFailure) {
        // Always set, since libcurl otherwise reads the environment.
        try easy.set(CURLOPT_PROXY, proxy ?? "")
        try easy.set(CURLOPT_NOPROXY, options.proxies.exceptions)
        guard proxy != nil else { return }
        if let login = options.proxies.login {
            try easy.set(CURLOPT_PROXYUSERNAME, login.user)
            try easy.set(CURLOPT_PROXYPASSWORD, login.password.reveal())
        }
        try easy.set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
        // An upgraded protocol must pass through a proxy's tunnel, since a proxy does not understand it.
        if hop.leavesHTTP { try easy.set(CURLOPT_HTTPPROXYTUNNEL, 1) }
        try easy.set(CURLOPT_PROXY_SSLVERSION, CURL_SSLVERSION_TLSv1_2)
        if let authorities = options.authorities { try easy.set(CURLOPT_PROXY_CAINFO, authorities) }
    }

    private func setTrust() throws(TransferFailure) {
        guard hop.url.isSecure else { return }
        try easy.set(CURLOPT_SSLVERSION, CURL_SSLVERSION_TLSv1_2)
        try easy.set(CURLOPT_SSL_VERIFYPEER, 1)
        try easy.set(CURLOPT_SSL_VERIFYHOST, 2)
        if let authorities = options.authorities {
            try easy.set(CURLOPT_CAINFO, authorities)
            try easy.set(CURLOPT_CAPATH, nil)
        }
        if let certificate = hop.certificate {
            try easy.set(CURLOPT_SSLCERT, certificate.path)
            // OpenSSL would ask for a passphrase on the terminal.
            try easy.set(CURLOPT_KEYPASSWD, "")
            // Without a key, libcurl reads it from the file of the certificate.
            if let key = certificate.key { try easy.setBlob(CURLOPT_SSLKEY_BLOB, Array(key.reveal().utf8)) }
        }
        if !hop.pins.isEmpty {
            try easy.set(CURLOPT_PINNEDPUBLICKEY, hop.pins.map { "sha256//\($0)" }.joined(separator: ";"))
        }
    }

    private func setRequest() throws(TransferFailure) {
        switch hop.body {
        case .none where [.post, .put, .patch].contains(hop.method): try setUpload(length: 0)
        case .none where hop.method == .head: try easy.set(CURLOPT_NOBODY, 1)
        case .none: try easy.set(CURLOPT_HTTPGET, 1)
        case .bytes(let bytes) where leavesAtOnce: try easy.setBody(bytes)
        case .bytes(let bytes): try setUpload(length: bytes.count)
        case .stream(let length, _): try setUpload(length: length)
        case .upgrade: try setUpgrade()
        case .connection: return try setConnection()
        }
        try easy.set(CURLOPT_CUSTOMREQUEST, hop.method.name)
        try easy.setList(CURLOPT_HTTPHEADER, fieldLines)
        if hop.decompresses { try easy.set(CURLOPT_ACCEPT_ENCODING, "gzip, deflate") }
    }

    /// Whether the body is small enough to be sent with the head in one piece.
    ///
    /// A server that responds early has read such a body, so its connection can be reused. A larger body might not
    /// fit into the socket at once, and libcurl would send its rest after the response.
    var leavesAtOnce: Bool {
        guard case .bytes(let bytes) = hop.body else { return false }
        return (1...8_192).contains(bytes.count) && !expectsContinue
    }

    private func setUpload(length: Int?) throws(TransferFailure) {
        try easy.set(CURLOPT_UPLOAD, 1)
        try easy.set(CURLOPT_INFILESIZE_LARGE, bytes: length ?? -1)
        try easy.set(CURLOPT_UPLOAD_BUFFERSIZE, 64 * 1_024)
    }

    /// Requests an own connection on which libcurl sends raw bytes after the head of the response.
    private func setUpgrade() throws(TransferFailure) {
        try setUpload(length: nil)
        try easy.set(CURLOPT_FRESH_CONNECT, 1)
        try easy.set(CURLOPT_FORBID_REUSE, 1)
    }

    /// Requests a connection alone, on which the engine sends and receives.
    private func setConnection() throws(TransferFailure) {
        try easy.set(CURLOPT_CONNECT_ONLY, 1)
        try easy.set(CURLOPT_FRESH_CONNECT, 1)
        // The names of HTTP must not be offered in the TLS handshake.
        try easy.set(CURLOPT_SSL_ENABLE_ALPN, 0)
    }

    /// The fields in libcurl's form: `Name;` for an empty value, `Name:` to omit a default one.
    private var fieldLines: [String] {
        var lines: [String] = []
        for field in hop.fields.all where hop.hasBody || !field.name.isSameField(as: "Expect") {
            lines.append(field.value.isEmpty ? "\(field.name);" : "\(field.name): \(field.value)")
        }
        if let upgrade = hop.upgrade {
            // Without the last field libcurl would send chunks.
            lines += ["Connection: Upgrade", "Upgrade: \(upgrade)", "Transfer-Encoding:"]
        }
        if !expectsContinue { lines.append("Expect:") }
        for name in ["Accept", "Content-Type"] where hop.fields[name] == nil { lines.append("\(name):") }
        if let agent = options.userAgent, hop.fields["User-Agent"] == nil { lines.append("User-Agent: \(agent)") }
        return lines
    }

    /// Whether the server is asked before the body is sent.
    var expectsContinue: Bool { hop.hasBody && hop.fields["Expect"] != nil }
}

extension Duration {
    /// At least one millisecond, since zero means no limit in libcurl.
    var milliseconds: Int {
        let (seconds, attoseconds) = components
        guard seconds < Int(Int32.max) / 1_000 else { return Int(Int32.max) }
        return max(1, Int(seconds) * 1_000 + Int(attoseconds / 1_000_000_000_000_000))
    }
}
