import WireBase

/// What is said about keys that nothing asked for.
extension Reader {
    /// The names a key could have had.
    struct Candidates {
        let names: [String]
        /// Those whose values are secrets.
        let secret: Set<String>

        init(_ names: [String], secret: Set<String>) {
            (self.names, self.secret) = (names, secret)
        }

        /// The known names that a name is most like, letters that only look like ASCII taken for it.
        func nearest(to name: String) -> [String] {
            Nearest.names(to: Homoglyphs.replaced(in: name)?.text ?? name, among: names)
        }
    }

    /// Reports a key that nothing asked for; what it could have been is looked for only where that will be shown.
    func reportUnknown(
        _ entry: Entry,
        named name: String,
        hint: (String) -> Advice? = { _ in nil },
        among candidates: () -> Candidates
    ) {
        let place = document.place(document.target(entry.key))
        let owner = pathText.isEmpty ? "" : " in \(pathText)"
        // Behind a colon in a key stands a value that lacks its space: a secret perhaps.
        let colon = document.isNull(entry.value) ? name.firstIndex(of: ":") : nil
        let shown = colon.map { "\(name[..<$0]):…" } ?? name
        let problem = Diagnostic(.unknownKey, "unknown key \(shown.quoted)\(owner)", at: place)
            .about(pathText.isEmpty ? shown : "\(pathText).\(shown)")
        guard hasRoom else {
            note(secretAt: entry.value)
            return report(problem)
        }
        let candidates = candidates()
        if let colon, !candidates.secret.isDisjoint(with: candidates.nearest(to: String(name[..<colon]))) {
            note(secretAt: entry.key)
        }
        if let split = withoutSpace(entry, name, candidates) {
            return report(problem.labelled("a space is missing after the colon").fixed(by: split))
        }
        let nearest = candidates.nearest(to: name)
        if !candidates.secret.isDisjoint(with: nearest) {
            note(secretAt: entry.value)
        } else if nearest.isEmpty || document.kind(entry.value) != .plain {
            note(unread: entry.value)
        }
        guard nearest.isEmpty else { return report(misspelt(problem, entry.key, name, nearest)) }
        let list = Array(candidates.names.prefix(12)).listed("and") + (candidates.names.count > 12 ? " …" : "")
        let advice = path(name, entry, candidates) ?? hint(name) ?? strangers?.advice(on: name, in: pathText)
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

    /// `retries:2` in braces, which is a key without a value.
    private func withoutSpace(_ entry: Entry, _ name: String, _ candidates: Candidates) -> Fix? {
        guard let colon = name.firstIndex(of: ":"), document.isNull(entry.value), document.kind(entry.key) == .plain,
            !document.isAlias(entry.key), candidates.names.contains(String(name[..<colon]))
        else { return nil }
        let rest = name[name.index(after: colon)...]
        return .replace(document.place(entry.key), with: "\(name[..<colon]): \(rest)", "write a space after the colon")
    }

    /// `network.retries: 3`, as other programs write the way to a setting.
    private func path(_ name: String, _ entry: Entry, _ candidates: Candidates) -> Advice? {
        let steps = name.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard (2...8).contains(steps.count), steps.allSatisfy(Identifier.isName), let first = steps.first else {
            return nil
        }
        let nested = { (steps: ArraySlice<String>) in
            steps.dropLast().reversed().reduce("\(steps.last ?? ""): …") { "\($1): { \($0) }" }
        }
        if candidates.names.contains(first) {
            return "a dot does not lead into a mapping; write \(setting: nested(steps[...]))"
        }
        guard pathText.isEmpty, facts.declared.isDeclared(first) else { return nil }
        return "what is of an environment stands below 'environments': \(setting: nested(["environments"] + steps))"
    }

    /// Hides what stands where nothing is read, a secret perhaps, and leaves keys and the simplest words to be seen.
    func note(unread node: NodeID) {
        var left = 64
        note(unread: node, &left)
    }

    private func note(unread node: NodeID, _ left: inout Int) {
        left -= 1
        guard left > 0 else { return note(secretAt: node) }
        switch document.kind(node) {
        case .mapping:
            for entry in document.entries(node) { note(unread: entry.value, &left) }
        case .sequence:
            for item in document.items(node) { note(unread: item, &left) }
        case .plain where document.isNull(node) || isSimple(document.bytes(node)): break
        case .plain, .quoted, .alias: note(secretAt: node)
        }
    }

    /// Whether no secret looks like it: a truth value, or a number too short for a PIN.
    private func isSimple(_ bytes: ArraySlice<UInt8>) -> Bool {
        switch CoreScalar(bytes) {
        case .boolean: true
        case .integer, .number: bytes.count <= 3
        default: false
        }
    }
}

/// Where keys belong that stand at a place that does not know them.
package final class Strangers {
    private let catalogue: Catalogue
    /// How many names are still compared with the environments of the file.
    private var comparisonsLeft = 32
    private lazy var owners: [String: [String]] = catalogue.sections.reduce(into: [:]) { owners, section in
        // What takes over files of others has keys that are not for authors.
        guard section.isService || section.name == "app" else { return }
        for name in Set(section.form.keyNames) { owners[name, default: []].append(section.name) }
    }

    package init(_ catalogue: Catalogue) {
        self.catalogue = catalogue
    }

    /// The environments whose names are most like a name.
    ///
    /// Each name is compared with every environment, so after some names the others are not compared.
    func environments(like name: String, in declared: DeclaredNames) -> [String] {
        guard comparisonsLeft > 0 else { return [] }
        comparisonsLeft -= 1
        return Nearest.names(to: name, among: declared.names)
    }

    func advice(on name: String, in path: String) -> Advice? {
        if !path.isEmpty, catalogue.sections.contains(where: { $0.name == name }) {
            return "\(name.quoted) is a section, which stands at the top of the file, or in an environment"
        }
        if !path.isEmpty, Keys.describe(FileRecord.self)[name] != nil {
            return "\(name.quoted) is a key of the file as a whole, which stands at its top"
        }
        let word = name.lowercased()
        if path.isEmpty, let section = catalogue.sections.first(where: { $0.otherNames.contains(word) }) {
            return "the section for it is \(section.name.quoted)"
        }
        guard path.isEmpty || path.hasPrefix("environments."), let sections = owners[name], sections.count <= 4 else {
            return nil
        }
        return "it is a key of \(sections.listed())"
    }
}
