package import WireBase

/// Reads the settings of one environment and collects problems, references, secrets and requirements on the machine.
///
/// A class, because all parts of a reading share it; used for one reading, on one thread.
package final class Reader {
    package let document: Document
    package let facts: EnvironmentFacts
    /// Resolves references when a runner starts; nil while a file is only validated.
    let resolve: ((Reference) throws(Fault) -> String)?
    /// The number of problems the caller stores; no help texts are computed for further ones.
    private let room: Int

    package internal(set) var findings = Findings()
    /// The memory of earlier readings, where environments share nodes.
    var memory: ReadingMemory?
    /// The accepted addresses of the current key.
    var terms = AddressTerms.any
    /// Finds the right location of unknown keys.
    var misplacedKeys: MisplacedKeys?
    /// The keys from the root to the current value.
    private var path: [(name: String, key: NodeID?)] = []

    /// The findings of a reading, besides the values.
    package struct Findings: Sendable {
        package var problems: [Diagnostic] = []
        /// Missing keys: not a problem for a file that its environments complete.
        package var missing: [Diagnostic] = []
        package var references: [ReferenceUse] = []
        package var secrets: [SourceRange] = []
        package var localNeeds: [LocalNeed] = []
        package var addresses: [AddressUse] = []
        /// The sections whose services may fail without stopping the runner.
        package var optionalSections: Set<String> = []
        /// Mappings that need an entry for every environment.
        var coverages: [Coverage] = []
    }

    package init(
        _ document: Document,
        facts: EnvironmentFacts,
        room: Int = .max,
        resolve: ((Reference) throws(Fault) -> String)? = nil
    ) {
        self.document = document
        self.facts = facts
        self.room = room
        self.resolve = resolve
    }

    /// Returns and clears the findings.
    package func takeFindings() -> Findings {
        defer { findings = Findings() }
        return findings
    }

    // MARK: Current path

    /// The path of the current value, as in messages and commands: `push.registrars.ups.url`.
    package var pathText: String {
        var text = path.first?.name ?? ""
        for step in path.dropFirst() {
            text += "."
            text += step.name
        }
        return text
    }

    package func descend<Result>(to name: String, key: NodeID? = nil, _ read: () -> Result) -> Result {
        enter(name, key: key)
        defer { leave() }
        return read()
    }

    /// Enters a key, without a closure for speed; the caller must leave it.
    func enter(_ name: String, key: NodeID?) {
        path.append((name, key))
    }

    func leave() {
        path.removeLast()
    }

    // MARK: Reporting

    package func report(_ problem: Diagnostic) {
        findings.problems.append(placed(problem))
    }

    /// Reports a problem that counts only where no further layer can solve it.
    func report(missing problem: Diagnostic) {
        findings.missing.append(placed(problem))
    }

    /// Whether the next problem will be shown.
    var hasRoom: Bool { findings.problems.count < room }

    /// Records a mapping that needs an entry for every environment that contains it.
    func record(coverage names: Set<String>) {
        findings.coverages.append(Coverage(names: names, path: pathText, place: keyPlace))
    }

    private func placed(_ problem: Diagnostic) -> Diagnostic {
        var problem = problem
        if let name = facts.name { problem.environments = [name] }
        if problem.path.isEmpty { problem.path = pathText }
        return problem
    }

    package func record(secretAt node: NodeID) {
        findings.secrets.append(document.place(document.target(node)))
    }

    /// Hides a value, unless it is only a reference.
    package func noteUnlessReference(secretAt node: NodeID) {
        if let text = try? ReferringText(parsing: document.text(node)), !text.holdsTextOfItsOwn { return }
        record(secretAt: node)
    }

    /// Hides the values of keys that may hold secrets, in a mapping that is not read.
    func noteSecrets(in mapping: NodeID, named names: Set<String>) {
        for entry in document.entries(mapping) where Nearest.isAlmost(document.text(entry.key), among: names) {
            record(secretAt: entry.value)
        }
    }

    func record(optional section: String) {
        findings.optionalSections.insert(section)
    }

    package func record(_ need: LocalNeed) {
        findings.localNeeds.append(need)
    }

    /// Records a server named in the file, and hides a URL with a token in its query.
    func record(_ address: Address, at node: NodeID, isProxy: Bool = false) {
        if address.seemsToCarrySecret { record(secretAt: node) }
        let use = AddressUse(
            address: address,
            node: document.target(node),
            steps: path.map(\.name),
            isProxy: isProxy
        )
        findings.addresses.append(use)
    }

    /// Applies a rule that changes a value.
    ///
    /// While a file is only validated, values stay as written, so that environments can share them.
    func apply<Value>(_ rule: Rule<Value>, to value: Value, at node: NodeID) -> Value {
        switch rule {
        case .record(let note):
            note(value, node, self)
            return value
        case .standIn(let standIn):
            // The address was read just before, so it is the last one.
            guard let last = findings.addresses.indices.last, findings.addresses[last].node == document.target(node)
            else { return value }
            findings.addresses[last].hasStandIn = true
            guard resolve != nil, facts.backend == .embedded, !findings.addresses[last].isMeant(in: facts, document)
            else { return value }
            return standIn(value)
        case .example, .deprecated, .check, .takes: return value
        }
    }

    package func record(_ reference: Reference, at node: NodeID, isSecret: Bool) {
        findings.references.append(
            ReferenceUse(reference: reference, path: pathText, place: document.place(node), isSecret: isSecret)
        )
    }

    /// The key of the current value, or the nearest one above it.
    var innermostKey: NodeID? { path.last { $0.key != nil }?.key }

    var keyPlace: SourceRange? { innermostKey.map(document.place) }
}

/// A mapping with an entry per environment; shared by all, and complete only where it has an entry for each.
struct Coverage: Sendable {
    let names: Set<String>
    let path: String
    let place: SourceRange?

    /// The problem for an environment without an entry.
    func problem(in environment: String) -> Diagnostic? {
        guard !names.contains(environment) else { return nil }
        return Diagnostic(
            .environmentNotCovered,
            "\(path) has no entry for environment \(environment.quoted)",
            at: place
        )
        .labelled("every declared environment needs one")
        .helped(by: "add \(setting: "\(environment): …", of: path)")
        .about(path)
    }
}

/// A reference at the location of its use.
package struct ReferenceUse: Sendable {
    package let reference: Reference
    package let path: String
    package let place: SourceRange
    package let isSecret: Bool
}

/// A URL at the location of its use.
package struct AddressUse: Sendable {
    package let address: Address
    package let node: NodeID
    let steps: [String]
    package let isProxy: Bool
    /// Whether an embedded server replaces it in an embedded environment.
    package internal(set) var hasStandIn = false

    package var path: String { steps.joined(separator: ".") }

    /// Whether the environment itself sets the URL.
    func isOwn(of facts: EnvironmentFacts, _ document: Document) -> Bool {
        facts.overlays.contains { document.node(at: steps, from: $0).map(document.target) == node }
    }

    /// Whether an embedded environment uses the URL: only its own URLs, on this machine.
    func isMeant(in facts: EnvironmentFacts, _ document: Document) -> Bool {
        guard let url = address.absolute, url.isLoopback else { return false }
        return facts.name == nil || isOwn(of: facts, document)
    }
}

/// A requirement of a setting on the machine, for local checks.
package struct LocalNeed: Sendable {
    package enum Kind: Sendable {
        case readableFile
        case readableFolder
        case writableDirectory
        case program
        case filesMatching
        case freePort(host: String, port: Int)
    }

    package let kind: Kind
    /// The path relative to the services file, or the pattern.
    package let name: String
    package let place: SourceRange
    package let path: String
}
