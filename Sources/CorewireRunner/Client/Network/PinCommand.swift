import CorewireCLI
import WireBase
import WireConfig
import WireCrypto
import WireHTTP
import WireTransfer

/// `corewire pin`: prints the key of a server for the services file.
enum PinCommand {
    static func run(_ invocation: Invocation) async throws -> ExitStatus {
        let showing = try Display(invocation)
        let server = try server(invocation)
        let limit = try limit(invocation)
        var options = TransferOptions()
        options.authorities = TrustedAuthorities.ofThisProcess.file
        do throws(TransferFailure) {
            let client = try TransferClient(options)
            let keys = try ServedKeys(
                server,
                try await ServedCertificate.of(server.description, within: limit, options),
                doubt: try await ServedCertificate.doubt(about: server.description, within: limit, options)
            )
            await client.stop()
            showing.show(keys.json) { keys.text }
            if let warning = keys.warning { Console.printError(warning) }
            return .success
        } catch {
            throw Failure(message: error.reason, status: .problemsFound, help: help(for: error, server))
        }
    }

    private static func help(for failure: TransferFailure, _ server: WebURL) -> String? {
        switch failure.kind {
        case .protocolError: "use the TLS port: corewire pin \(server.host):443"
        case .timeout: "retry, or use a longer --timeout"
        default: nil
        }
    }

    private static func server(_ invocation: Invocation) throws -> WebURL {
        let typed = invocation.argument(0) ?? ""
        // A name copied from the services file may begin with the scheme.
        let text = typed.contains("://") ? typed : "https://\(typed)"
        guard let url = try? WebURL(parsing: text), url.query == nil, url.fragment == nil,
            url.path.isEmpty || typed.contains("://")
        else {
            throw UsageError(
                "expected a host, and its port if not 443, such as api.example.com:8443, not \(typed.shown(upTo: 80).quoted)",
                for: invocation.path
            )
        }
        guard url.scheme == "https" else {
            throw UsageError(
                "\(url.scheme.quoted) uses no TLS, expected a host with TLS",
                for: invocation.path
            )
        }
        return WebURL(scheme: "https", host: url.host, port: url.port, path: "")
    }

    private static func limit(_ invocation: Invocation) throws -> Duration {
        guard let text = invocation.option("timeout") else { return .seconds(10) }
        let limit = try invocation.duration(text, option: "timeout")
        guard (.milliseconds(100) ... .seconds(600)).contains(limit) else {
            throw UsageError("--timeout must be 100ms to 10m, not \(text.quoted)", for: invocation.path)
        }
        return limit
    }
}

/// The keys of a server with their certificates.
struct ServedKeys {
    private struct Link {
        let subject: String
        let names: [String]
        let facts: Certificate

        /// The subject, without prefixes.
        var owner: String {
            let common = subject.split(separator: ",").map { $0.drop { $0 == " " } }.first {
                $0.hasPrefix("CN = ") || $0.hasPrefix("CN=")
            }
            let name = common.map { $0.drop { $0 != "=" }.dropFirst().drop { $0 == " " } } ?? Substring(subject)
            return name.isEmpty ? "no name" : String(name).shown(upTo: 80)
        }

        var days: String { "\(ServedKeys.day(facts.validFrom)) to \(ServedKeys.day(facts.validUntil))" }
    }

    private let server: WebURL
    private let leaf: Link
    private let issuers: [Link]
    private let doubt: TransferFailure?

    init(_ server: WebURL, _ served: ServedCertificate, doubt: TransferFailure?) throws(TransferFailure) {
        self.server = server
        self.doubt = doubt
        leaf = try Self.link(served, server)
        var issuers: [Link] = []
        for issuer in served.issuers { issuers.append(try Self.link(issuer, server)) }
        self.issuers = issuers
    }

    private static func link(_ served: ServedCertificate, _ server: WebURL) throws(TransferFailure) -> Link {
        guard let facts = try? Certificate(pem: served.text) else {
            throw TransferFailure(.tls, "a certificate of \(server.host) cannot be read", wasNotSent: true)
        }
        return Link(subject: served.subject, names: served.names, facts: facts)
    }

    fileprivate static func day(_ seconds: Int64) -> String {
        String("\(Timestamp(milliseconds: seconds * 1_000))".prefix(10))
    }

    // MARK: Output

    /// The pin for `network.pins`, which expires with its certificate.
    private var line: String {
        let host = server.host.contains(":") ? "\"\(server.host)\"" : server.host
        return "- { host: \(host), sha256: \"\(leaf.facts.pin)\", expires: \(Self.day(leaf.facts.validUntil)) }"
    }

    /// YAML for `network.pins`, with further facts as comments.
    var text: String {
        let place = server.port.map { "\(server.host) at port \($0)" } ?? server.host
        var lines = ["# \(place): \(doubt == nil ? "trusted" : "not trusted") by this machine"]
        lines.append("# its own key: \(leaf.owner), \(leaf.days)")
        lines.append(line)
        for issuer in issuers {
            lines.append("# its issuer: \(issuer.owner), \(issuer.days)")
            lines.append("#   sha256: \"\(issuer.facts.pin)\"")
        }
        if !issuers.isEmpty {
            lines.append("# Pins are compared with the server's own key; issuer pins are for information.")
        }
        lines.append("# Add the pin of a backup key that is kept offline.")
        return lines.joined(separator: "\n") + "\n"
    }

    var warning: String? {
        guard let doubt else { return nil }
        return
            "warning: \(doubt.reason)\n  = help: the connection may be intercepted; compare the key with the server's own before you pin it\n"
    }

    var json: JSONValue {
        .members([
            "host": .string(server.host), "port": .integer(server.port ?? 443), "trusted": .boolean(doubt == nil),
            "reason": doubt.map { .string($0.reason) },
            "certificates": .array([certificate(leaf, "own")] + issuers.map { certificate($0, "issuer") }),
            "pins": .array([.string(line)]),
        ])
    }

    private func certificate(_ link: Link, _ role: String) -> JSONValue {
        .members([
            "role": .string(role), "subject": .string(link.subject),
            "names": .array(link.names.map(JSONValue.string)),
            "validFrom": .string(Timestamp(milliseconds: link.facts.validFrom * 1_000).description),
            "validUntil": .string(Timestamp(milliseconds: link.facts.validUntil * 1_000).description),
            "sha256": .string(link.facts.pin),
        ])
    }
}
