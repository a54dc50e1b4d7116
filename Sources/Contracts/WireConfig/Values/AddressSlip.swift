import WireBase

/// Recognizes mistyped addresses: a misspelled scheme, a host without a scheme, a file.
///
/// Read literally, most of these are relative paths, so the request would go to the server of the base URL with data
/// for another one.
struct AddressSlip {
    /// The bytes that reveal the mistake.
    let range: Range<Int>
    let label: String
    var help: String?
    /// The certain correction, if there is one.
    var fix: String?
    var hidesText = false

    init?(in text: String, terms: AddressTerms) {
        guard !Self.isOrdinary(text, terms) else { return nil }
        let scanned = Scanned(text, terms)
        guard let slip = scanned.file() ?? scanned.scheme() ?? scanned.host() ?? scanned.doubleSlash() else {
            return nil
        }
        self = slip
    }

    /// Whether the text begins with a scheme of the terms, '://' and a host that is no scheme itself: nearly every
    /// address, recognized without taking it apart.
    private static func isOrdinary(_ text: String, _ terms: AddressTerms) -> Bool {
        let bytes = text.utf8
        return terms.schemes.contains { scheme in
            guard bytes.starts(with: scheme.utf8) else { return false }
            let rest = bytes.dropFirst(scheme.utf8.count)
            guard rest.starts(with: "://".utf8), let host = rest.dropFirst(3).first else { return false }
            return !"/hHwW".utf8.contains(host)
        }
    }

    /// Checks only for a mistyped scheme, for values with rules of their own for other forms.
    init?(schemeOf text: String, terms: AddressTerms) {
        guard let slip = Scanned(text, terms).scheme() else { return nil }
        self = slip
    }

    fileprivate init(_ range: Range<Int>, _ label: String, help: String? = nil, fix: String? = nil) {
        (self.range, self.label, self.help, self.fix) = (range, label, help, fix)
    }

    func misread(_ expected: String) -> Misread {
        var misread = Misread(
            expected: hidesText ? "a URL without user name and password" : expected,
            help: help,
            fix: fix,
            hidesText: hidesText
        )
        (misread.code, misread.label, misread.range) = (.badAddress, hidesText ? nil : label, hidesText ? nil : range)
        return misread
    }

    /// File extensions that are not top-level domains: `api.json` is a path, `api.dev` may be a host.
    static let fileEndings = [
        "aab", "action", "apk", "ashx", "asmx", "asp", "aspx", "atom", "bin", "br", "cgi", "css", "csv", "dat", "db",
        "der", "gif", "gql", "graphql", "gz", "htm", "html", "ico", "ics", "ipa", "jpeg", "jpg", "js", "json",
        "jsonld", "jsp", "jspx", "mjs", "ndjson", "onnx", "pb", "pdf", "pem", "php", "png", "proto", "rdf", "rss",
        "shtml", "sqlite", "svc", "svg", "tar", "tflite", "toml", "tsv", "txt", "vcf", "wasm", "webp", "xhtml",
        "xml", "xz", "yaml", "yml", "zip", "zst",
    ]
}

/// A text split at a possible scheme and host.
private struct Scanned {
    private let text: String
    private let terms: AddressTerms
    /// The letters, digits, '+' and '-' at the position of a scheme.
    private let head: String
    private let headRange: Range<Int>
    /// The text at the position of '://'.
    private let gap: String
    private let rest: String
    /// The text before the first slash, query or fragment.
    private let first: String

    init(_ text: String, _ terms: AddressTerms) {
        self.text = text
        self.terms = terms
        let bytes = text.utf8
        let start = text.hasPrefix("/") && !text.hasPrefix("//") ? 1 : 0
        let body = bytes.dropFirst(start)
        let head = body.prefix { $0.isLetter || $0.isDigit || $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "-") }
        let tail = body[head.endIndex...]
        // After a complete '://' follows a host, unless there is another slash.
        let gap =
            tail.starts(with: "://".utf8)
            ? tail.prefix(3 + tail.dropFirst(3).prefix { $0 == UInt8(ascii: "/") }.count)
            : tail.prefix { ":;.,/\\".utf8.contains($0) }
        headRange = start..<start + head.count
        self.head = String(Substring(head)).lowercased()
        self.gap = String(Substring(gap))
        rest = String(Substring(body[gap.endIndex...]))
        first = String(Substring(bytes.prefix { !"/?#\\".utf8.contains($0) }))
    }

    private var spelt: Range<Int> { headRange.lowerBound..<headRange.upperBound + gap.utf8.count }

    private static let wellKnown = AddressTerms.web + AddressTerms.sockets

    // MARK: Schemes

    func scheme() -> AddressSlip? {
        if Self.wellKnown.contains(head) || terms.schemes.contains(head) { return known() }
        if gap.contains("//") || gap.contains("\\\\"), !head.isEmpty || gap.hasPrefix(":") { return unknown() }
        return head.isEmpty && text.hasPrefix("//") ? missing() : nil
    }

    /// A correct scheme followed by something other than '://'.
    private func known() -> AddressSlip? {
        if gap == "://", headRange.lowerBound == 0 { return doubled() }
        let isSign = gap.contains(":") || gap.contains(";") || gap.contains("//") || gap.contains("\\\\")
        // 'ws/updates' is a path; 'http/updates' probably is not.
        let isWord = AddressTerms.web.contains(head) && (gap.contains("/") || (gap + rest).isEmpty)
        guard isSign || isWord else { return nil }
        guard !rest.isEmpty else {
            return AddressSlip(spelt, "a scheme without a host", help: "write \(head)://… or, for a path, './\(head)'")
        }
        return meaning("\(head)://\(rest)", isCertain: isSign)
    }

    /// A doubled scheme: 'https://https://api.example.com', 'https://http//api.example.com'.
    private func doubled() -> AddressSlip? {
        let second = rest.prefix { $0 != ":" && $0 != "/" }
        let behind = rest.dropFirst(second.count)
        guard Self.wellKnown.contains(second.lowercased()), behind.hasPrefix(":/") || behind.hasPrefix("//") else {
            return nil
        }
        let host = behind.drop { $0 == ":" || $0 == "/" }
        let range = 0..<text.utf8.count - host.utf8.count
        return meaning("\(second.lowercased())://\(host)", at: range, isCertain: true)
    }

    /// A misspelled or missing scheme before '//'.
    private func unknown() -> AddressSlip? {
        let isURL = gap == "://" && headRange.lowerBound == 0
        if head.utf8.count == 1, gap.hasPrefix(":") { return nil }
        let names = terms.schemes + Self.wellKnown.filter { !terms.schemes.contains($0) }
        var nearest = Nearest.names(to: head, among: names)
        // 'hptts': the right letters in a wrong order.
        if nearest.isEmpty, head.hasPrefix("h"), head.allSatisfy({ "htpsx".contains($0) }) {
            nearest = [head.hasSuffix("s") ? "https" : "http"]
        }
        if head.isEmpty { nearest = [terms.usual(rest.prefix { !"/:?#".contains($0) })] }
        if let best = nearest.first, !rest.isEmpty {
            return meaning("\(best)://\(rest)", isCertain: nearest.count == 1 && !head.isEmpty)
        }
        guard !isURL else { return nil }
        return AddressSlip(
            spelt,
            "neither a scheme nor a path",
            help: "write \(terms.schemeNoun), or the path without '//'"
        )
    }

    /// A missing scheme: '//api.example.com'.
    private func missing() -> AddressSlip? {
        let host = rest.prefix { !"/?#".contains($0) }
        return meaning("\(terms.usual(host.prefix { $0 != ":" }))://\(rest)", at: 0..<2, isCertain: false)
    }

    private func meaning(_ meant: String, at range: Range<Int>? = nil, isCertain: Bool) -> AddressSlip? {
        if URLParts(meant)?.authority?.contains("@") ?? false { return credentials() }
        let text = meant.replacing("\\", with: "/")
        let isURL = URLParts(text).map { (try? WebURL($0, of: text)) != nil } ?? false
        let isRight = isURL && AddressSlip(in: text, terms: terms) == nil
        return AddressSlip(
            range ?? spelt,
            isURL ? "did you mean \(text.shown(upTo: 80))?" : "not a scheme; URLs begin with \(terms.schemeNoun)",
            fix: isCertain && isRight && text.hasOneOf(terms.schemes) ? text : nil
        )
    }

    /// A double slash in a path: 'v1.0//items', which is ambiguous.
    func doubleSlash() -> AddressSlip? {
        let end = first.utf8.count
        guard !first.isEmpty, first != ".", !first.hasSuffix(":"), text.utf8.dropFirst(end).starts(with: "//".utf8)
        else { return nil }
        return AddressSlip(end..<end + 2, "an empty part of the path", help: "write one '/'")
    }

    // MARK: Files

    func file() -> AddressSlip? {
        let isDrive = head.utf8.count == 1 && head.utf8.first?.isLetter == true && gap.hasPrefix(":")
        if isDrive { return AddressSlip(0..<2, "a Windows drive, not a server", help: "write \(terms.schemeNoun)") }
        if head == "file", gap.hasPrefix(":") {
            return AddressSlip(0..<5, "a file of this machine, not a server", help: "write \(terms.schemeNoun)")
        }
        guard first == "~" else { return nil }
        return AddressSlip(
            0..<1,
            "a folder of this machine, not a server",
            help: "for a path of the server write ./\(text)"
        )
    }

    // MARK: Hosts

    func host() -> AddressSlip? {
        guard !first.isEmpty, first != "." else { return nil }
        if let at = first.lastIndex(of: "@"), first[..<at].contains(":") || isHost(first[first.index(after: at)...]) {
            return credentials()
        }
        let range = 0..<first.utf8.count
        if let port = portOf(first) {
            let name = first[..<port]
            guard Host.isHost(name) || isBracketed(name) else { return nil }
            return lacking(name, at: range)
        }
        guard isHost(first) else { return nil }
        return lacking(first[...], at: range)
    }

    private func lacking(_ name: Substring, at range: Range<Int>) -> AddressSlip {
        let url = "\(terms.usual(name))://\(text.replacing("\\", with: "/"))"
        return AddressSlip(
            range,
            "did you mean \(url.shown(upTo: 80))?",
            help: terms.mayBeRelative
                ? "this looks like a host; for a path of the server at baseUrl write ./\(text.shown(upTo: 60))" : nil
        )
    }

    private func credentials() -> AddressSlip {
        var slip = AddressSlip(
            0..<first.utf8.count,
            "",
            help: "credentials in URLs appear in logs; use the keys for credentials"
        )
        slip.hidesText = true
        return slip
    }

    /// The position of the colon before a port.
    private func portOf(_ text: String) -> String.Index? {
        guard let colon = text.lastIndex(of: ":") else { return nil }
        let digits = text[text.index(after: colon)...]
        return (1...5).contains(digits.utf8.count) && digits.utf8.allSatisfy(\.isDigit) ? colon : nil
    }

    private func isBracketed(_ text: some StringProtocol) -> Bool { text.hasPrefix("[") && text.hasSuffix("]") }

    /// Whether the text looks like a host: a name with a last label of letters that is no file extension, an IPv4
    /// address, or localhost.
    private func isHost(_ text: some StringProtocol) -> Bool {
        if text == "localhost" || isBracketed(text) { return true }
        let labels = (text.hasSuffix(".") ? text.dropLast() : text[...]).split(
            separator: ".",
            omittingEmptySubsequences: false
        )
        guard labels.count >= 2, let last = labels.last, labels.allSatisfy({ Host.isLabel($0) }) else { return false }
        if labels.allSatisfy({ $0.utf8.count <= 3 && $0.utf8.allSatisfy(\.isDigit) }) { return labels.count == 4 }
        let isDomain = last.utf8.allSatisfy(\.isLetter) || last.lowercased().hasPrefix("xn--")
        return isDomain && !AddressSlip.fileEndings.contains(last.lowercased())
    }
}

extension String {
    fileprivate func hasOneOf(_ schemes: [String]) -> Bool { schemes.contains { hasPrefix("\($0)://") } }
}
