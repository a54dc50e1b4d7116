import WireBackends
import WireBase
package import WireConfig
import WireGraphQL
package import WireMessageBus
import WireNetwork
import WirePush

/// The checks of `--local`: the machine has the required files, folders, programs and ports, and the references of the
/// environment can be resolved.
///
/// The checks create and change nothing.
package struct LocalChecks {
    private let validation: Validation
    private let environment: String?
    private let resolver: ReferenceResolver
    /// The current day as `YYYY-MM-DD`.
    private let today: String
    /// The data folder of the app, the base of relative download folders.
    private let data: String?
    /// The session bus of the user, to look for.
    private let bus: SessionBus?

    package init(
        _ validation: Validation,
        environment: String?,
        today: String,
        data: String? = nil,
        bus: SessionBus? = nil
    ) {
        (self.today, self.data, self.bus) = (today, data, bus)
        self.validation = validation
        self.environment = environment
        resolver = ReferenceResolver(beside: validation.name)
    }

    package func problems() -> [Diagnostic] {
        guard let validated = validation.environment(environment), let file = validation.file else { return [] }
        return validated.localNeeds.compactMap(problem)
            + referenceProblems()
            + operations(validated)
            + content(validated)
            + expiredPins(validated, file.document)
            + sessionBus(validated, file.document)
    }

    // MARK: Files, folders, programs, ports

    private func problem(_ need: LocalNeed) -> Diagnostic? {
        let path = Files.path(need.name, beside: validation.name)
        switch need.kind {
        case .readableFile:
            if !Files.exists(path) { return missing(need, "the file \(need.name.quoted) does not exist") }
            if Files.isFolder(path) { return missing(need, "\(need.name.quoted) is a folder, not a file") }
            return Files.isReadable(path)
                ? nil : missing(need, "the file \(need.name.quoted) is not readable for this user")
        case .readableFolder:
            if !Files.exists(path) { return missing(need, "the folder \(need.name.quoted) does not exist") }
            if !Files.isFolder(path) { return missing(need, "\(need.name.quoted) is a file, not a folder") }
            return Files.isReadable(path)
                ? nil : missing(need, "the folder \(need.name.quoted) is not readable for this user")
        case .writableDirectory:
            let data = need.path.hasPrefix("background.") ? data : nil
            return folder(need, data.map { Files.path(need.name, below: $0) } ?? path)
        case .program:
            return program(need)
        case .filesMatching:
            let pattern = FilePattern(need.name, beside: validation.name)
            return pattern.matches().isEmpty ? missing(need, "no file matches \(need.name.quoted)") : nil
        case .freePort(let host, let port):
            guard let reason = Ports.reasonAgainst(host: host, port: port) else { return nil }
            return missing(need, "cannot listen on \(host):\(port): \(reason)")
        }
    }

    /// The runner creates a missing folder, so its nearest existing parent must be writable.
    private func folder(_ need: LocalNeed, _ path: String) -> Diagnostic? {
        var existing = path
        while !existing.isEmpty, existing != "/", !Files.exists(existing), !Files.isLink(existing) {
            existing =
                existing.lastIndex(of: "/").map { $0 == existing.startIndex ? "/" : String(existing[..<$0]) } ?? "."
        }
        if existing.isEmpty { existing = "." }
        let name = existing == path ? need.name : existing
        guard Files.isFolder(existing) else {
            let isLost = !Files.exists(existing)
            return missing(
                need,
                isLost ? "the link \(name.quoted) is broken" : "\(name.quoted) is a file, not a folder"
            )
        }
        guard Files.keepsFiles(existing) else {
            return missing(need, "files cannot be created in \(existing.quoted), a kernel file system")
        }
        return Files.isWritable(existing, asFolder: true)
            ? nil : missing(need, "the folder \(need.name.quoted) is not writable for this user")
    }

    private func program(_ need: LocalNeed) -> Diagnostic? {
        if need.name.contains("/") {
            let path = Files.path(need.name, beside: validation.name)
            if !Files.exists(path) { return missing(need, "the program \(need.name.quoted) does not exist") }
            return Files.isRunnable(path)
                ? nil : missing(need, "\(need.name.quoted) may not be run by this user", help: "chmod +x")
        }
        let folders = (Files.variable("PATH") ?? "/usr/bin:/bin").split(separator: ":")
        let isFound = folders.contains { Files.isRunnable("\($0)/\(need.name)") }
        return isFound ? nil : missing(need, "the program \(need.name.quoted) is not on PATH")
    }

    private func missing(_ need: LocalNeed, _ message: String, help: String? = nil) -> Diagnostic {
        Diagnostic(.localNeed, "\(need.path): \(message)", at: need.place).helped(by: help).about(need.path)
    }

    // MARK: References

    /// Reads the environment again with resolved references, whose values must match their types.
    package func referenceProblems() -> [Diagnostic] {
        guard let validated = validation.environment(environment), let file = validation.file else { return [] }
        let known = Set(validation.result.problems.messages)
        // The value of a reference may be a secret, so messages are shown without quoting it.
        return validation.resolved(validated, of: file, by: resolver).problems.filter {
            !known.contains($0.message) && $0.code != .secretInClear
        }.map { problem in
            guard !problem.code.quotesNoValue else { return problem }
            let expected = problem.message.cut(before: ", found") ?? problem.path
            return Diagnostic(.unfitReference, "\(expected); the reference has another value", at: problem.place)
                .about(problem.path)
        } + exposedFiles(validated)
    }

    private func exposedFiles(_ validated: FileValidator.ValidatedEnvironment) -> [Diagnostic] {
        validated.references.filter(\.isSecret).flatMap { use in
            ([use.reference] + (use.reference.fallback?.allReferences ?? [])).compactMap { exposed($0, in: use) }
        }
    }

    private func exposed(_ reference: Reference, in use: ReferenceUse) -> Diagnostic? {
        guard reference.kind == .file, Files.isReadableByOthers(Files.path(reference.name, beside: validation.name))
        else { return nil }
        return Diagnostic(
            .exposedSecret,
            "\(use.path): other users can read the secret in \(reference.name.quoted)",
            at: use.place
        )
        .helped(by: "chmod 600")
        .about(use.path)
    }

    // MARK: Content

    /// Reports problems in the files for the embedded content server.
    private func content(_ validated: FileValidator.ValidatedEnvironment) -> [Diagnostic] {
        guard let backends = validated.configuration[BackendsSection.self] else { return [] }
        let formats = Shipped.loader.formats
        func path(_ path: String) -> String { Files.path(path, beside: validation.name) }
        let content = backends.content.directory.map { ContentSeeds.problems(in: path($0.path), formats) } ?? []
        let data = backends.graphql.data.map { path($0.path) }
        return content
            + (backends.graphql.schema.map {
                GraphQLSeeds.problems(schema: path($0.path), data: data, formats)
            } ?? [])
    }

    // MARK: Pins

    private func expiredPins(_ validated: FileValidator.ValidatedEnvironment, _ document: Document) -> [Diagnostic] {
        (validated.configuration[NetworkSection.self]?.pins ?? []).compactMap { pin in
            guard let day = pin.expires, pin.$expires.isWritten, day.description < today, let node = pin.$expires.node
            else { return nil }
            return Diagnostic(
                .expiredPin,
                "network.pins: the pin of \(pin.host.description.quoted) expired on \(day)",
                at: document.place(node)
            )
            .helped(by: "write the current pins of the server")
            .about("network.pins")
        }
    }

    // MARK: The session bus

    /// Reports that there is no session bus for the distributor of Web Push.
    private func sessionBus(_ validated: FileValidator.ValidatedEnvironment, _ document: Document) -> [Diagnostic] {
        guard let bus, validated.facts.backend != .embedded,
            let tokens = validated.configuration[PushSection.self]?.tokens, tokens.webPush?.isDistributor ?? false,
            let node = tokens.$webPush.node
        else { return [] }
        let path = "push.tokens.webPush"
        func missing(_ reason: String) -> [Diagnostic] {
            [
                Diagnostic(.localNeed, "\(path): \(reason)", at: document.place(node))
                    .helped(by: "run the runner as a service of a user; system services have no session bus")
                    .about(path)
            ]
        }
        if let socket = bus.usualSocket, !Files.exists(socket) {
            return missing("there is no session bus at \(bus.place)")
        }
        do throws(BusFailure) { _ = try bus.address() } catch {
            return missing("no session bus at \(bus.place): \(error.reason)")
        }
        return []
    }

    // MARK: Operations

    /// Reports problems in GraphQL files, and handlers that name undeclared operations.
    private func operations(_ validated: FileValidator.ValidatedEnvironment) -> [Diagnostic] {
        guard let checks = GraphQLChecks(validated, validation) else { return [] }
        let names = checks.documents.operations.names
        // The operations of an unreadable file are unknown.
        guard validated.offers[Provision(.operation)] != nil,
            !checks.documents.findings.contains(where: { $0.rule == .syntax })
        else { return checks.problems }
        return checks.problems
            + validated.needs.filter { $0.provision.kind == .operation && !names.contains($0.provision.name) }
            .map { need in
                let nearest = Nearest.name(to: need.provision.name, among: names.sorted())
                return need.problem.found(in: validated.facts).helped(by: nearest.map { "did you mean '\($0)'?" })
            }
    }
}

extension String {
    /// The text before a phrase, if it contains the phrase.
    fileprivate func cut(before phrase: String) -> String? {
        indices.first { self[$0...].hasPrefix(phrase) }.map { String(self[..<$0]) }
    }
}

extension Code {
    /// Whether problems of this kind can be shown for a value from a reference, which may be a secret.
    var quotesNoValue: Bool {
        [.unresolvedReference, .noStandIn, .mixedEnvironment, .plainHTTP, .noBaseURL].contains(self)
    }
}
