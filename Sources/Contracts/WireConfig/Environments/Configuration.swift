/// The typed settings of one environment.
package struct Configuration: Sendable {
    package let facts: EnvironmentFacts
    private var sections: [ObjectIdentifier: any Section] = [:]
    /// The sections whose services may fail without stopping the runner.
    private var optional: Set<String> = []

    package init(facts: EnvironmentFacts) {
        self.facts = facts
    }

    /// Reads the sections of an environment's tree.
    package init(reading root: NodeID, with reader: Reader, catalogue: Catalogue) {
        self.init(facts: reader.facts)
        for type in catalogue.sections {
            guard let entry = reader.document.entry(type.name, of: root), !reader.isNull(entry.value) else { continue }
            let section = reader.descend(to: type.name, key: entry.key) { type.readAny(entry.value, with: reader) }
            if let section { add(section) }
        }
        allowFailure(of: reader.findings.optionalSections)
    }

    /// The settings of a section; nil where the section is absent.
    package subscript<Wanted: Section>(_ section: Wanted.Type) -> Wanted? {
        sections[ObjectIdentifier(section)] as? Wanted
    }

    /// All sections that are present and readable, in catalogue order.
    package func sections(by catalogue: Catalogue) -> [any Section] {
        catalogue.sections.compactMap { sections[ObjectIdentifier($0)] }
    }

    /// Whether a section is present and readable.
    package func has(_ section: any Section.Type) -> Bool {
        sections[ObjectIdentifier(section)] != nil
    }

    /// Whether a section of this name is present and readable.
    package func has(named name: String) -> Bool {
        sections.values.contains { type(of: $0).name == name }
    }

    /// Whether the runner must not run without the service of a section.
    package func isRequired(_ section: String) -> Bool {
        !optional.contains(section)
    }

    mutating func allowFailure(of sections: Set<String>) {
        optional.formUnion(sections)
    }

    mutating func add(_ section: some Section) {
        sections[ObjectIdentifier(type(of: section))] = section
    }
}

/// The sections of a build, in the order of the documentation.
package struct Catalogue: Sendable {
    package let sections: [any Section.Type]

    package init(_ sections: [any Section.Type]) {
        self.sections = sections
    }

    package subscript(name: String) -> (any Section.Type)? { sections.first { $0.name == name } }

    /// All codes, by number.
    package var codes: [Code] {
        (Code.syntaxCodes + Code.shapeCodes + Code.compositionCodes + Code.meaningCodes + Code.localCodes
            + Code.onlineCodes
            + sections.flatMap { $0.codes })
            .sorted { $0.id < $1.id }
    }
}
