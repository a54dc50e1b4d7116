package import WireBase

/// Reads the settings of one environment, and keeps what it learns on the way: problems, references, secrets, and what
/// is asked of this machine.
///
/// A class, because everything that reads shares it; it lives for one reading, on one thread.
package final class Reader {
    package let document: Document
    package let facts: EnvironmentFacts
    /// Gives the values of references, where a runner is about to start; absent while a file is only judged.
    let resolve: ((Reference) throws(Fault) -> String)?
    /// How many problems the caller keeps; those beyond are only counted, so nothing is worked out to help with them.
    private let room: Int

    package internal(set) var findings = Findings()
    /// What was read before, where the same nodes are read for several environments.
    var memory: ReadingMemory?
    /// Which addresses the key takes that is read; any, where it says nothing.
    var terms = AddressTerms.any
    /// Where keys belong that are unknown where they stand.
    var strangers: Strangers?
    /// The keys on the way from the root to what is read.
    private var path: [(name: String, key: NodeID?)] = []

    /// What reading brought to light besides the values.
    package struct Findings: Sendable {
        package var problems: [Diagnostic] = []
        /// Keys that are missing: no problem of a file that its environments complete.
        package var missing: [Diagnostic] = []
        package var references: [ReferenceUse] = []
        package var secrets: [SourceRange] = []
        package var localNeeds: [LocalNeed] = []
        package var addresses: [AddressUse] = []
        /// Sections the rest may run without.
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

    /// Hands over what was found since the last time.
    package func takeFindings() -> Findings {
        defer { findings = Findings() }
        return findings
    }

    // MARK: Where we are

    /// The path of what is read, as messages and commands write it: `push.registrars.ups.url`.
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

    /// Goes down to a key, for the hot path: whoever enters leaves.
    func enter(_ name: String, key: NodeID?) {
        path.append((name, key))
    }

    func leave() {
        path.removeLast()
    }

    // MARK: Telling

    package func report(_ problem: Diagnostic) {
        findings.problems.append(placed(problem))
    }

    /// Reports what is a problem only where nothing more is laid over.
    func report(missing problem: Diagnostic) {
        findings.missing.append(placed(problem))
    }

    /// Whether the next problem is one that will be shown.
    var hasRoom: Bool { findings.problems.count < room }

    /// Notes a mapping that needs an entry for every environment in which it stands.
    func note(coverage names: Set<String>) {
        findings.coverages.append(Coverage(names: names, path: pathText, place: keyPlace))
    }

    private func placed(_ problem: Diagnostic) -> Diagnostic {
        var problem = problem
        if let name = facts.name { problem.environments = [name] }
        if problem.path.isEmpty { problem.path = pathText }
        return problem
    }

    package func note(secretAt node: NodeID) {
        findings.secrets.append(document.place(document.target(node)))
    }

    /// Hides a value, unless it only says where the value comes from.
    package func noteUnlessReference(secretAt node: NodeID) {
        if let text = try? ReferringText(parsing: document.text(node)), !text.holdsTextOfItsOwn { return }
        note(secretAt: node)
    }

    /// Hides what stands under keys that could be secrets', where nobody will read them.
    func noteSecrets(in mapping: NodeID, named names: Set<String>) {
        for entry in document.entries(mapping) where Nearest.isAlmost(document.text(entry.key), among: names) {
            note(secretAt: entry.value)
        }
    }

    func note(optional section: String) {
        findings.optionalSections.insert(section)
    }

    package func note(_ need: LocalNeed) {
        findings.localNeeds.append(need)
    }

    /// Remembers a server that the file names.
    func note(_ address: Address, at node: NodeID, isProxy: Bool = false) {
        let use = AddressUse(
            address: address,
            node: document.target(node),
            steps: path.map(\.name),
            isProxy: isProxy
        )
        findings.addresses.append(use)
    }

    /// What a rule makes of a value.
    ///
    /// While a file is only judged, every value stays what is written: what environments share is read once for all of them.
    func apply<Value>(_ rule: Rule<Value>, to value: Value, at node: NodeID) -> Value {
        switch rule {
        case .note(let note):
            note(value, node, self)
            return value
        case .standIn(let standIn):
            // The address has just been read, and so is the latest.
            guard let last = findings.addresses.indices.last, findings.addresses[last].node == document.target(node)
            else { return value }
            findings.addresses[last].hasStandIn = true
            guard resolve != nil, facts.backend == .embedded, !findings.addresses[last].isMeant(in: facts, document)
            else { return value }
            return standIn(value)
        case .example, .deprecated, .check, .takes: return value
        }
    }

    package func note(_ reference: Reference, at node: NodeID, isSecret: Bool) {
        findings.references.append(
            ReferenceUse(reference: reference, path: pathText, place: document.place(node), isSecret: isSecret)
        )
    }

    /// The key that holds what is read, or the nearest one above it.
    var innermostKey: NodeID? { path.last { $0.key != nil }?.key }

    var keyPlace: SourceRange? { innermostKey.map(document.place) }
}

/// A mapping with an entry for each environment: the same in all of them, complete only where it has theirs.
struct Coverage: Sendable {
    let names: Set<String>
    let path: String
    let place: SourceRange?

    /// What is wrong in an environment it has no entry for.
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

/// A reference where it is used.
package struct ReferenceUse: Sendable {
    package let reference: Reference
    package let path: String
    package let place: SourceRange
    package let isSecret: Bool
}

/// A URL where it is used.
package struct AddressUse: Sendable {
    package let address: Address
    package let node: NodeID
    let steps: [String]
    package let isProxy: Bool
    /// Whether something built in stands for it, in an embedded environment.
    package internal(set) var hasStandIn = false

    package var path: String { steps.joined(separator: ".") }

    /// Whether the environment says it itself, and does not have it from the file.
    func isOwn(of facts: EnvironmentFacts, _ document: Document) -> Bool {
        facts.overlays.contains { document.node(at: steps, from: $0).map(document.target) == node }
    }

    /// Whether an embedded environment speaks to it: to what it names itself, on this machine, and to nothing else.
    func isMeant(in facts: EnvironmentFacts, _ document: Document) -> Bool {
        guard let url = address.absolute, url.isLoopback else { return false }
        return facts.name == nil || isOwn(of: facts, document)
    }
}

/// Something a setting asks of the machine, looked at when local checks are wanted.
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
    /// The path, relative to the services file, or the pattern.
    package let name: String
    package let place: SourceRange
    package let path: String
}
