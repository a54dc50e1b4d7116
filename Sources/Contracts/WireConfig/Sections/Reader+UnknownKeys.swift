import WireBase

/// Reports unknown keys, with suggestions.
extension Reader {
    /// The known names for an unknown key.
    struct Candidates {
        let names: [String]
        /// The names with secret values.
        let secret: Set<String>

        init(_ names: [String], secret: Set<String>) {
            (self.names, self.secret) = (names, secret)
        }

        /// The nearest known names; letters that only look like ASCII count as ASCII.
        func nearest(to name: String) -> [String] {
            Nearest.names(to: Homoglyphs.replaced(in: name)?.text ?? name, among: names)
        }
    }

    /// Reports an unknown key; suggestions are computed only where the problem will be shown.
    func reportUnknown(
        _ entry: Entry,
        named name: String,
        hint: (String) -> Advice? = { _ in nil },
        among candidates: () -> Candidates
    ) {
        let place = document.place(document.target(entry.key))
        let owner = pathText.isEmpty ? "" : " in \(pathText)"
        // A key that contains a colon probably contains its value, which may be a secret.
        let colon = document.isNull(entry.value) ? name.firstIndex(of: ":") : nil
        let shown = colon.map { "\(name[..<$0]):…" } ?? name
        let problem = Diagnostic(.unknownKey, "unknown key \(shown.quoted)\(owner)", at: place)
            .about(pathText.isEmpty ? shown : "\(pathText).\(shown)")
        guard hasRoom else {
            record(secretAt: entry.value)
            return report(problem)
        }
        let candidates = candidates()
        if let colon, !candidates.secret.isDisjoint(with: candidates.nearest(to: String(name[..<colon]))) {
            record(secretAt: entry.key)
        }
        if let split = withoutSpace(entry, name, candidates) {
            return report(problem.labelled("a space is missing after the colon").fixed(by: split))
        }
        let nearest = candidates.nearest(to: name)
        if !candidates.secret.isDisjoint(with: nearest) {
            record(secretAt: entry.value)
        } else if nearest.isEmpty || document.kind(entry.value) != .plain {
            record(unread: entry.value)
        }
        guard nearest.isEmpty else { return report(misspelt(problem, entry.key, name, nearest)) }
        let list = Array(candidates.names.prefix(12)).listed("and") + (candidates.names.count > 12 ? " …" : "")
        let advice = path(name, entry, candidates) ?? hint(name) ?? misplacedKeys?.advice(on: name, in: pathText)
        report(
            problem.labelled("not one of its keys")
                .helped(by: advice ?? (candidates.names.isEmpty ? nil : "it has \(list)"))
        )
    }

    private func misspelt(_ problem: Diagnostic, _ key: NodeID, _ name: String, _ nearest: [String]) -> Diagnostic {
        let problem = problem.labelled("did you mean \(nearest.listed())?")
            .helped(by: Homoglyphs.replaced(in: name).map { Homoglyphs.description(of: $0.first) })
        guard nearest.count == 1, let best = nearest.first, let place = problem.place, document.kind(key).isScalar
        else {
            return problem
        }
        return problem.fixed(by: .replace(place, with: quotedLike(place, best), "write '\(best)'"))
    }

    /// Fixes `retries:2` in braces, a key without a space after the colon.
    private func withoutSpace(_ entry: Entry, _ name: String, _ candidates: Candidates) -> Fix? {
        guard let colon = name.firstIndex(of: ":"), document.isNull(entry.value), document.kind(entry.key) == .plain,
            !document.isAlias(entry.key), candidates.names.contains(String(name[..<colon]))
        else { return nil }
        let rest = name[name.index(after: colon)...]
        return .replace(document.place(entry.key), with: "\(name[..<colon]): \(rest)", "write a space after the colon")
    }

    /// Suggests nesting for `network.retries: 3`, a path as in other programs.
    private func path(_ name: String, _ entry: Entry, _ candidates: Candidates) -> Advice? {
        let steps = name.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard (2...8).contains(steps.count), steps.allSatisfy(Identifier.isName), let first = steps.first else {
            return nil
        }
        let nested = { (steps: ArraySlice<String>) in
            steps.dropLast().reversed().reduce("\(steps.last ?? ""): …") { "\($1): { \($0) }" }
        }
        if candidates.names.contains(first) {
            return "keys are nested, not joined by dots; write \(setting: nested(steps[...]))"
        }
        guard pathText.isEmpty, facts.declared.isDeclared(first) else { return nil }
        return "settings of an environment are below 'environments': \(setting: nested(["environments"] + steps))"
    }

    /// Hides an unread value, which may be a secret; keys and simple values stay visible.
    func record(unread node: NodeID) {
        var left = 64
        record(unread: node, &left)
    }

    private func record(unread node: NodeID, _ left: inout Int) {
        left -= 1
        guard left > 0 else { return record(secretAt: node) }
        switch document.kind(node) {
        case .mapping:
            for entry in document.entries(node) { record(unread: entry.value, &left) }
        case .sequence:
            for item in document.items(node) { record(unread: item, &left) }
        case .plain where document.isNull(node) || isSimple(document.bytes(node)): break
        case .plain, .quoted, .alias: record(secretAt: node)
        }
    }

    /// Whether a value cannot be a secret: a Boolean, or a number shorter than a PIN.
    private func isSimple(_ bytes: ArraySlice<UInt8>) -> Bool {
        switch CoreScalar(bytes) {
        case .boolean: true
        case .integer, .number: bytes.count <= 3
        default: false
        }
    }
}

/// Finds where a key belongs that is unknown at its location.
package final class MisplacedKeys {
    private let catalogue: Catalogue
    /// The remaining number of names to compare with the environments of the file.
    private var comparisonsLeft = 32
    private lazy var owners: [String: [String]] = catalogue.sections.reduce(into: [:]) { owners, section in
        // Sections that accept foreign files have keys that authors do not write.
        guard section.isService || section.name == "app" else { return }
        for name in Set(section.form.keyNames) { owners[name, default: []].append(section.name) }
    }

    package init(_ catalogue: Catalogue) {
        self.catalogue = catalogue
    }

    /// The environments with names similar to a name.
    ///
    /// The number of comparisons is limited, since each name is compared with every environment.
    func environments(like name: String, in declared: DeclaredNames) -> [String] {
        guard comparisonsLeft > 0 else { return [] }
        comparisonsLeft -= 1
        return Nearest.names(to: name, among: declared.names)
    }

    func advice(on name: String, in path: String) -> Advice? {
        if !path.isEmpty, catalogue.sections.contains(where: { $0.name == name }) {
            return "\(name.quoted) is a section; move it to the top of the file or into an environment"
        }
        if !path.isEmpty, Keys.describe(FileRecord.self)[name] != nil {
            return "\(name.quoted) is a key of the file; move it to the top of the file"
        }
        let word = name.lowercased()
        if path.isEmpty, let section = catalogue.sections.first(where: { $0.otherNames.contains(word) }) {
            return "use the section \(section.name.quoted)"
        }
        guard path.isEmpty || path.hasPrefix("environments."), let sections = owners[name], sections.count <= 4 else {
            return nil
        }
        return "the key belongs to \(sections.listed())"
    }
}
