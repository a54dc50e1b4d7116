extension LayeredFile {
    /// Adds the sections that an environment asks for without naming them, as if they were written empty where it asks:
    /// whoever looks at the tree afterwards sees them, with their defaults and a place of their own.
    mutating func complete(_ root: NodeID, from catalogue: Catalogue) -> NodeID {
        var root = root
        if let node = document.value("backend", of: root),
            let backend = EnvironmentFacts.Backend(rawValue: document.text(node))
        {
            for section in catalogue.sections where section.isImplied(by: backend) {
                root = imply(section.name, in: root, at: node)
            }
        }
        // What is added may ask for more.
        while let missing = missingSection(in: root, of: catalogue) {
            root = imply(missing.name, in: root, at: missing.asker)
        }
        return root
    }

    /// A section that is not there, and whoever asks for what it answers to.
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

    /// A tree with an empty section that nobody has written, standing at a node that asks for it; the tree itself where
    /// the section is there.
    private mutating func imply(_ section: String, in root: NodeID, at node: NodeID) -> NodeID {
        guard document.value(section, of: root).map(document.isNull) ?? true else { return root }
        let key = document.makeScalar(section, kind: .plain, like: node)
        let entry = Entry(key: key, value: document.makeMapping([Entry](), like: node))
        let others = document.entries(root).filter { document.text($0.key) != section }
        return document.makeMapping(others + [entry], like: root)
    }
}
