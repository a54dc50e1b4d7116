import WireBase
package import WireConfig
import WireNetwork
package import WireService

/// Collects the checks of `--online`: each server of the environments once, and the checks of sections.
///
/// Sends no requests, and reads only the references of the environments.
package struct OnlineQuestions: Sendable {
    /// A server with TLS.
    package struct Server: Sendable {
        /// Scheme, host and port.
        package let origin: String
        package fileprivate(set) var uses: [Use] = []
    }

    /// A location in the file that names a server.
    package struct Use: Sendable {
        package let place: SourceRange
        package let path: String
        /// The name of the value in messages, the same in all environments.
        fileprivate let name: String
        /// The pins of the environment for the host, in file order.
        package let pins: [Pinned]
        fileprivate let facts: EnvironmentFacts

        /// A problem at this location in this environment.
        package func problem(_ code: Code, _ message: String, help: String? = nil) -> Diagnostic {
            Diagnostic(code, "\(name): \(message)", at: place).helped(by: help).about(path).found(in: facts)
        }

        /// A problem with the pins, related to this location.
        package func pinProblem(_ code: Code, _ message: String, help: String? = nil) -> Diagnostic {
            Diagnostic(code, "network.pins: \(message)", at: pins.first?.place).helped(by: help).about("network.pins")
                .related(place, "the server is named here").found(in: facts)
        }
    }

    /// A pin with its location.
    package struct Pinned: Sendable {
        package let hash: String
        package let place: SourceRange?
    }

    /// A check of a section.
    package struct Conversation: Sendable {
        package let check: OnlineCheck
        fileprivate let facts: EnvironmentFacts
        fileprivate let document: Document
        fileprivate let files: NamedFiles

        /// A finding as a problem of the file, or of a file that it names.
        package func problem(_ finding: OnlineFinding) -> Diagnostic {
            let place = range(of: finding.place)
            var problem = Diagnostic(finding.code, finding.message, at: finding.spot ?? place).about(finding.path)
            for related in finding.related { problem = problem.related(related.place, related.text) }
            if let spot = finding.spot {
                problem = problem.related(files.need(of: spot.file)?.place ?? place, "the file is named here")
            }
            return finding.help.reduce(problem) { $0.helped(by: $1) }.found(in: facts)
        }

        /// The problem for a check that was skipped because of the total timeout.
        package var wasNotAsked: Diagnostic {
            Diagnostic(
                .noTimeToAsk,
                "\(check.path): the server was not checked before the total timeout",
                at: range(of: check.place)
            )
            .about(check.path).found(in: facts)
        }

        private func range(of place: Place) -> SourceRange? {
            guard let node = place.node else { return nil }
            let range = document.place(document.target(node))
            return place.isWritten || document.kind(node).isScalar ? range : range.beginning
        }
    }

    package private(set) var servers: [Server] = []
    package private(set) var conversations: [Conversation] = []
    /// Notes about skipped checks with unresolved references.
    package private(set) var notes: [Diagnostic] = []

    /// Collects the checks of all environments, or of one.
    package init(_ validation: Validation, only name: String?) {
        guard let file = validation.file else { return }
        let resolver = ReferenceResolver(beside: validation.name)
        for validated in validation.result.environments where name == nil || validated.facts.name == name {
            guard validated.facts.isBackendKnown else { continue }
            gather(validated, file.document, resolver, validation.name)
        }
    }

    private mutating func gather(
        _ validated: FileValidator.ValidatedEnvironment,
        _ document: Document,
        _ resolver: ReferenceResolver,
        _ name: String
    ) {
        let resolve = { @Sendable (reference: Reference) throws(Fault) in
            try resolver.text(of: reference)
        }
        // Embedded servers exist only while the runner runs.
        let isEmbedded = validated.facts.backend == .embedded
        let facts =
            isEmbedded
            ? validated.facts : validated.facts(by: Reader(document, facts: validated.facts, resolve: resolve))
        let reader = Reader(document, facts: facts, resolve: resolve)
        let configuration = Configuration(reading: validated.root, with: reader, catalogue: Shipped.catalogue)
        if !isEmbedded { gatherServers(facts, configuration, reader, document) }
        let files = NamedFiles(validated, of: name)
        var (asked, secrets): (Set<String>, Set<String>) = ([], [])
        for section in configuration.sections(by: Shipped.catalogue) {
            guard let asking = section as? any OnlineChecked,
                !isEmbedded || type(of: asking).isBesideEmbeddedServers
            else { continue }
            asked.insert(type(of: asking).name)
            secrets.formUnion(asking.secretsOfChecks)
            conversations += asking.onlineChecks(in: facts, of: configuration).map {
                Conversation(check: $0, facts: facts, document: document, files: files)
            }
        }
        for use in validated.references {
            let isNeeded =
                use.isSecret
                ? secrets.contains(use.path) : !isEmbedded || asked.contains { use.path.hasPrefix("\($0).") }
            if isNeeded, let note = note(use, resolver) { notes.append(note.found(in: facts)) }
        }
    }

    private mutating func gatherServers(
        _ facts: EnvironmentFacts,
        _ configuration: Configuration,
        _ reader: Reader,
        _ document: Document
    ) {
        let pins = configuration[NetworkSection.self]?.pins ?? []
        var uses = reader.takeFindings().addresses.filter { !$0.isProxy }.map {
            ($0.address.absolute, $0.node, $0.path, $0.path)
        }
        if let node = facts.baseURLPlace.node, facts.baseURLPlace.state != .uncertain {
            let path = facts.name.map { "environments.\($0).baseUrl" } ?? "baseUrl"
            uses.insert((facts.baseURL, document.target(node), path, "baseUrl"), at: 0)
        }
        for case (let url?, let node, let path, let name) in uses {
            guard let origin = url.secureOrigin else { continue }
            let own = pins.filter { $0.host.covers(url.host) }.map {
                Pinned(hash: $0.sha256.base64, place: $0.$sha256.node.map(document.place))
            }
            add(Use(place: document.place(node), path: path, name: name, pins: own, facts: facts), of: origin)
        }
    }

    private mutating func add(_ use: Use, of origin: String) {
        if let index = servers.firstIndex(where: { $0.origin == origin }) {
            servers[index].uses.append(use)
        } else {
            servers.append(Server(origin: origin, uses: [use]))
        }
    }

    /// The note about a value that cannot be resolved here.
    private func note(_ use: ReferenceUse, _ resolver: ReferenceResolver) -> Diagnostic? {
        do throws(Fault) {
            _ = try resolver.text(of: use.reference)
            return nil
        } catch {
            return Diagnostic(.notAsked, "\(use.path): not checked, because \(error.reason)", at: use.place)
                .about(use.path)
        }
    }
}

extension WebURL {
    /// The origin of a server with TLS; nil for others.
    fileprivate var secureOrigin: String? {
        guard scheme == "https" || scheme == "wss" else { return nil }
        let shown = host.contains(":") ? "[\(host)]" : host
        return "https://\(shown)" + (port.map { $0 == 443 ? "" : ":\($0)" } ?? "")
    }
}
