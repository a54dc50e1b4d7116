import CCurl
import WireBase
import WireHTTP

extension Transfer {
    /// Tells libcurl what is asked for.
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
        // A name that is still being looked up must not keep the thread when its transfer is gone.
        try easy.set(CURLOPT_QUICK_EXIT, 1)
        try easy.set(CURLOPT_PROTOCOLS_STR, hop.url.isSecure ? "https" : "http")
        // Never HTTP/2, whatever the server offers: Debian's libcurl forgets transfers that share a connection.
        try easy.set(CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1)
        try easy.set(CURLOPT_TCP_KEEPALIVE, 1)
        // A stream that is silent learns after about three minutes that its server is gone, in place of ten.
        try easy.set(CURLOPT_TCP_KEEPINTVL, 15)
        try setLookups()
        try easy.set(CURLOPT_CONNECTTIMEOUT_MS, hop.connectTimeout.milliseconds)
        try easy.set(CURLOPT_BUFFERSIZE, 64 * 1_024)
        if let socket = hop.socket { try easy.set(CURLOPT_UNIX_SOCKET_PATH, socket) }
    }

    /// After a change of the network, names are looked up again: in another network they may have other addresses.
    private func setLookups() throws(TransferFailure) {
        guard let changed = network.changed else { return }
        let seconds = (Monotonic.now - changed) / 1_000_000_000
        // libcurl remembers addresses for a minute; what it has learnt since the change may be used.
        if seconds < 60 { try easy.set(CURLOPT_DNS_CACHE_TIMEOUT, Int(seconds)) }
    }

    /// Whether the request passes through a proxy, unless the exceptions name its host.
    var proxy: String? {
        guard hop.socket == nil, !hop.url.isLoopback, options.allowsAddress == nil else { return nil }
        return hop.url.isSecure ? options.proxies.https : options.proxies.http
    }

    private func setProxy() throws(TransferFailure) {
        // Always said, since libcurl reads the environment where nothing is.
        try easy.set(CURLOPT_PROXY, proxy ?? "")
        try easy.set(CURLOPT_NOPROXY, options.proxies.exceptions)
        guard proxy != nil else { return }
        if let login = options.proxies.login {
            try easy.set(CURLOPT_PROXYUSERNAME, login.user)
            try easy.set(CURLOPT_PROXYPASSWORD, login.password.reveal())
        }
        try easy.set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
        // What follows an upgrade is no business of a proxy's, which would not understand it.
        if hop.upgrade != nil { try easy.set(CURLOPT_HTTPPROXYTUNNEL, 1) }
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
        }
        try easy.set(CURLOPT_CUSTOMREQUEST, hop.method.name)
        try easy.setFields(fieldLines)
        if hop.decompresses { try easy.set(CURLOPT_ACCEPT_ENCODING, "gzip, deflate") }
    }

    /// Whether the body is so small that it leaves with the head, in one piece.
    ///
    /// A server that answers before it has read a body has it then, and its connection stays of use for the next request.
    /// More might not fit into what the system takes at once, and its rest would be libcurl's to send after the answer.
    var leavesAtOnce: Bool {
        guard case .bytes(let bytes) = hop.body else { return false }
        return (1...8_192).contains(bytes.count) && !expectsContinue
    }

    private func setUpload(length: Int?) throws(TransferFailure) {
        try easy.set(CURLOPT_UPLOAD, 1)
        try easy.set(CURLOPT_INFILESIZE_LARGE, bytes: length ?? -1)
        try easy.set(CURLOPT_UPLOAD_BUFFERSIZE, 64 * 1_024)
    }

    /// A connection of its own, on which libcurl sends what it is given as it is, once the head of the answer has come.
    private func setUpgrade() throws(TransferFailure) {
        try setUpload(length: nil)
        try easy.set(CURLOPT_FRESH_CONNECT, 1)
        try easy.set(CURLOPT_FORBID_REUSE, 1)
    }

    /// The fields as libcurl wants them: `Name;` for an empty value, `Name:` for one it would send on its own.
    private var fieldLines: [String] {
        var lines: [String] = []
        for field in hop.fields.all where hop.hasBody || !field.name.isSameField(as: "Expect") {
            lines.append(field.value.isEmpty ? "\(field.name);" : "\(field.name): \(field.value)")
        }
        if let upgrade = hop.upgrade {
            // Without the last, what is sent would be cut into chunks.
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
    /// At least one, since libcurl takes none for no limit.
    var milliseconds: Int {
        let (seconds, attoseconds) = components
        guard seconds < Int(Int32.max) / 1_000 else { return Int(Int32.max) }
        return max(1, Int(seconds) * 1_000 + Int(attoseconds / 1_000_000_000_000_000))
    }
}
