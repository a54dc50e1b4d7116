extension LayeredFile {
    /// Adds the sections that an environment has without naming them, as if they were written empty where it asks for
    /// them: the tree has them with their defaults and a place in the file.
    mutating func complete(_ root: NodeID, from catalogue: Catalogue) -> NodeID {
        var root = root
        let file = root
        let backend = document.value("backend", of: root).flatMap { node in
            EnvironmentFacts.Backend(rawValue: document.text(node)).map { (node: node, kind: $0) }
        }
        for section in catalogue.sections {
            if let backend, section.isImplied(by: backend.kind) {
                root = imply(section.name, in: root, at: backend.node)
            }
            if section.isPresentByDefault { root = imply(section.name, in: root, at: file, isRequired: false) }
        }
        // An added section may imply further ones.
        while let missing = missingSection(in: root, of: catalogue) {
            root = imply(missing.name, in: root, at: missing.asker)
        }
        return root
    }

    /// An absent section and the node that implies it.
    private func missingSection(in root: NodeID, of catalogue: Catalogue) -> (name: String, asker: NodeID)? {
        func node(_ section: any Section.Type) -> NodeID? {
            document.value(section.name, of: root).flatMap { document.isNull($0) ? nil : $0 }
        }
        for section in catalogue.sections where !section.answers.isEmpty && node(section) == nil {
            let askers = catalogue.sections.lazy.filter { !$0.asks.isDisjoint(with: section.answers) }
            if let asker = askers.compactMap(node).first { return (section.name, asker) }
        }
        return nil
    }

    /// A tree with a section that the file does not have, placed at the node that asks for it; the tree itself where it
    /// has the section.
    private mutating func imply(
        _ section: String,
        in root: NodeID,
        at node: NodeID,
        isRequired: Bool = true
    ) -> NodeID {
        guard document.value(section, of: root).map(document.isNull) ?? true else { return root }
        func scalar(_ text: String) -> NodeID { document.makeScalar(text, kind: .plain, like: node) }
        let terms = isRequired ? [] : [Entry(key: scalar("required"), value: scalar("false"))]
        let entry = Entry(key: scalar(section), value: document.makeMapping(terms, like: node))
        let others = document.entries(root).filter { document.text($0.key) != section }
        return document.makeMapping(others + [entry], like: root)
    }
}
