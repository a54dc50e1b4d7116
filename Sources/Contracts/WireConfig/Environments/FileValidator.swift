package import WireBase

/// Validates a services file in all its environments, reading shared sections only once.
package struct FileValidator {
    /// The result of a validation.
    package struct ValidationResult: Sendable {
        package var problems: Problems
        /// The environments in file order; a single unnamed one where none are declared.
        package var environments: [ValidatedEnvironment] = []
        /// Ranges of text that no output may show.
        package var secrets: [SourceRange] = []
        /// The warnings that the file allows, for later layers.
        package var allowed: Set<Code> = []

        package init(problems: Problems) {
            self.problems = problems
        }
    }

    /// An environment with its settings.
    package struct ValidatedEnvironment: Sendable {
        package let facts: EnvironmentFacts
        /// The tree with the written sections.
        package let written: NodeID
        /// The tree with the written and the implied sections.
        package let root: NodeID
        package let configuration: Configuration
        /// The findings of reading; environments share those of common parts.
        private let findings: [Reader.Findings]
        package var offers: [Provision: [String]] = [:]
        package var needs: [Checks.Need] = []

        fileprivate init(
            facts: EnvironmentFacts,
            written: NodeID,
            root: NodeID,
            configuration: Configuration,
            findings: [Reader.Findings]
        ) {
            self.facts = facts
            self.written = written
            self.root = root
            self.configuration = configuration
            self.findings = findings
        }

        package var references: [ReferenceUse] { findings.flatMap(\.references) }
        package var localNeeds: [LocalNeed] { findings.flatMap(\.localNeeds) }
        var addresses: some Sequence<AddressUse> { findings.lazy.flatMap(\.addresses) }

        /// The facts of the environment as seen by a reader that resolves references.
        package func facts(by reader: Reader) -> EnvironmentFacts {
            var keys = Keys(reading: root, with: reader)
            let record = EnvironmentRecord(&keys)
            var facts = facts
            facts.baseURL = record.baseURL
            facts.baseURLPlace = record.$baseURL
            return facts
        }
    }

    private let catalogue: Catalogue
    private var file: LayeredFile
    private var problems: Problems
    private var secrets: [SourceRange] = []
    private let declared: DeclaredNames
    private let misplacedKeys: MisplacedKeys
    private var known: [SectionKey: KnownSection] = [:]
    private var ruled: [RulesKey: Ruling] = [:]
    /// The top-level keys of a file, including sections.
    private let topKeys: [String]
    private let sectionNames: [String]
    /// The reading memory of each section that differs between environments.
    private var memories: [ObjectIdentifier: ReadingMemory] = [:]
    /// The key node of each section, in the first tree that contains it.
    private var sectionKeys: [String: NodeID] = [:]

    private struct SectionKey: Hashable {
        let type: ObjectIdentifier
        let node: NodeID
    }

    private struct KnownSection {
        let section: (any Section)?
        let findings: Reader.Findings
        /// Whether its problems were reported for the file, so that environments add nothing.
        let isOfFile: Bool
    }

    /// Identifies a section and the environments in which its rules have the same result.
    private struct RulesKey: Hashable {
        let section: SectionKey
        var backend: EnvironmentFacts.Backend?
        var environment: String?
        var dependence = Checks.Dependence.none
    }

    /// The result of a section's rules, shared by several environments.
    private struct Ruling {
        let findings: Checks.Findings
        var environments: [String] = []
        var isTold = false
    }

    package init(_ file: LayeredFile, catalogue: Catalogue, problems: Problems) {
        self.file = file
        self.catalogue = catalogue
        self.problems = problems
        misplacedKeys = MisplacedKeys(catalogue)
        sectionNames = catalogue.sections.map { $0.name }
        topKeys = sectionNames + Keys.describe(FileRecord.self).keys.map(\.name)
        declared =
            file.saysOtherwiseWhichEnvironments
            ? .unknown : DeclaredNames(file.environments.map(\.name))
    }

    /// The file, with the trees of the environments added to its document.
    package var validatedFile: LayeredFile { file }

    /// Validates all environments of the file, or only the named one.
    package mutating func validate(only chosen: String? = nil) -> ValidationResult {
        let names: [String?] = file.environments.isEmpty ? [nil] : file.environments.map(\.name)
        // All trees are built before reading, so that the document is never copied.
        let (whole, fileRoot) = (file.whole(), file.resolve(nil))
        let roots = names.filter { chosen == nil || $0 == chosen }.map { name in
            let written = file.resolve(name)
            return (name: name, written: written, whole: file.complete(written, from: catalogue))
        }
        remember(sectionsThatDiffer: [fileRoot] + roots.map(\.whole))
        rememberSectionKeys()
        let base = readBase(whole, fileRoot)
        var validated = roots.map { read(environment: $0.name, written: $0.written, root: $0.whole) }
        let rulings = validated.map { environment in catalogue.sections.compactMap { rule($0, in: environment) } }
        for index in validated.indices { check(&validated[index], rulings[index]) }
        let environments = CrossEnvironmentRules(file: file, validated: validated)
        problems.add(environments.problems())
        let allowed = applyAllowances(base.allow)
        var result = ValidationResult(problems: problems)
        result.allowed = allowed
        result.environments = validated
        result.secrets = secrets
        return result
    }

    private mutating func remember(sectionsThatDiffer roots: [NodeID]) {
        for type in catalogue.sections {
            let nodes = Set(roots.compactMap { file.document.value(type.name, of: $0) })
            if nodes.count > 1 { memories[ObjectIdentifier(type)] = ReadingMemory() }
        }
    }

    private mutating func rememberSectionKeys() {
        let names = Set(catalogue.sections.map { $0.name })
        for root in file.files.map(\.root) + file.environments.map(\.node) + file.overrides.map(\.root) {
            for entry in file.document.entries(root) {
                let name = file.document.text(entry.key)
                if names.contains(name), sectionKeys[name] == nil { sectionKeys[name] = entry.key }
            }
        }
    }

    // MARK: Reading

    /// The file without any environment.
    private struct Base {
        let record: FileRecord
        let allow: Named<Reason>
    }

    /// Reads the file alone: missing keys are accepted, but present values must be valid even where every environment
    /// replaces them.
    private mutating func readBase(_ whole: NodeID, _ root: NodeID) -> Base {
        var facts = EnvironmentFacts()
        facts.isPartial = true
        facts.declared = declared
        let reader = self.reader(for: facts)
        let record = readFileRecord(whole, reader)
        keep(reader.takeFindings(), as: facts)
        checkVersion(record)
        checkDefault(record)
        readEnvironmentRecords(reader)
        let sectionReader = self.reader(for: facts)
        for type in catalogue.sections {
            guard let node = file.document.value(type.name, of: root), !reader.isNull(node) else { continue }
            _ = known(type, node, sectionReader)
        }
        return Base(record: record, allow: record.allow)
    }

    private func reader(for facts: EnvironmentFacts) -> Reader {
        let reader = Reader(file.document, facts: facts, room: problems.room)
        reader.misplacedKeys = misplacedKeys
        return reader
    }

    private func readFileRecord(_ root: NodeID, _ reader: Reader) -> FileRecord {
        Keys.read(
            root,
            with: reader,
            besides: sectionNames,
            known: { Keys.describe(FileRecord.self) }
        ) { keys in FileRecord(&keys) }
    }

    private mutating func readEnvironmentRecords(_ reader: Reader) {
        for environment in file.environments {
            reader.descend(to: "environments") {
                reader.descend(to: environment.name, key: environment.key) {
                    if !Identifier.isName(environment.name) { reader.reportBadName(environment.key, environment.name) }
                    guard !reader.isNull(environment.node),
                        reader.expectMapping(environment.node, form: { EnvironmentRecord.form })
                    else { return }
                    _ = Keys.read(
                        environment.node,
                        with: reader,
                        besides: sectionNames,
                        known: { Keys.describe(EnvironmentRecord.self) }
                    ) { keys in EnvironmentRecord(&keys) }
                }
            }
            keep(reader.takeFindings(), as: reader.facts)
        }
    }

    private mutating func read(environment name: String?, written: NodeID, root: NodeID) -> ValidatedEnvironment {
        var facts = EnvironmentFacts()
        facts.name = name
        facts.declared = declared
        let reader = Reader(file.document, facts: facts, room: 0)
        let record = Keys.read(
            root,
            with: reader,
            besides: topKeys,
            reportsUnknown: false,
            known: { Keys.describe(EnvironmentRecord.self) }
        ) { keys in EnvironmentRecord(&keys) }
        facts.backend = record.backend ?? .remote
        facts.isBackendKnown = record.$backend.state != .uncertain
        facts.baseURL = record.baseURL
        facts.baseURLPlace = record.$baseURL
        facts.overlays = file.overlays(of: name)
        var own = reader.takeFindings()
        own.problems = []
        own.addresses = []
        var findings = [own]
        var configuration = Configuration(facts: facts)
        let sectionReader = self.reader(for: facts)
        for type in catalogue.sections {
            guard let node = file.document.value(type.name, of: root), !sectionReader.isNull(node) else { continue }
            let read = known(type, node, sectionReader)
            if let section = read.section { configuration.add(section) }
            configuration.allowFailure(of: read.findings.optionalSections)
            findings.append(read.findings)
        }
        return ValidatedEnvironment(
            facts: facts,
            written: written,
            root: root,
            configuration: configuration,
            findings: findings
        )
    }

    /// Reads a section from a node once for all environments that share the node.
    private mutating func known(_ type: any Section.Type, _ node: NodeID, _ reader: Reader) -> KnownSection {
        let key = SectionKey(type: ObjectIdentifier(type), node: node)
        if let section = known[key] {
            tell(section.findings, as: reader.facts, besidesMissing: !section.isOfFile)
            return section
        }
        reader.memory = memories[ObjectIdentifier(type)]
        defer { reader.memory = nil }
        let section = reader.descend(to: type.name, key: sectionKeys[type.name]) { type.readAny(node, with: reader) }
        let findings = reader.takeFindings()
        keep(findings, as: reader.facts)
        let read = KnownSection(section: section, findings: findings, isOfFile: reader.facts.name == nil)
        known[key] = read
        return read
    }

    /// Adds findings to the problems of an environment.
    private mutating func keep(_ findings: Reader.Findings, as facts: EnvironmentFacts) {
        secrets += findings.secrets
        tell(findings, as: facts)
    }

    /// Reports findings for an environment.
    private mutating func tell(
        _ findings: Reader.Findings,
        as facts: EnvironmentFacts,
        besidesMissing: Bool = true
    ) {
        if besidesMissing { problems.add(findings.problems.lazy.map { $0.found(in: facts) }) }
        guard !facts.isPartial else { return }
        problems.add(findings.missing.lazy.map { $0.found(in: facts) })
        guard let name = facts.name else { return }
        problems.add(findings.coverages.lazy.compactMap { $0.problem(in: name)?.found(in: facts) })
    }

    private func isNull(_ node: NodeID) -> Bool {
        file.document.isNull(node)
    }

    // MARK: Rules

    private mutating func checkVersion(_ record: FileRecord) {
        guard record.$version.isWritten, record.version != 1, let node = record.$version.node else { return }
        let isNewer = record.version > 1
        problems.add(
            Diagnostic(
                .unsupportedVersion,
                "version \(record.version) of the format is not supported; this version of corewire reads version 1",
                at: file.document.place(node)
            )
            .helped(
                by: isNewer
                    ? "install a newer version of corewire" : "write \(setting: "version: 1")"
            )
            .about("version")
        )
    }

    private mutating func checkDefault(_ record: FileRecord) {
        guard let chosen = record.environment, let node = record.$environment.node else {
            if let first = file.environments.first, record.$environment.state == .absent {
                problems.add(
                    Diagnostic(
                        .defaultEnvironment,
                        "no default environment is set",
                        at: file.document.place(first.key)
                    )
                    .helped(
                        by: Identifier.isName(first.name)
                            ? "write \(setting: "environment: \(first.name)") at the top of the file" : nil
                    )
                    .about("environment")
                )
            }
            return
        }
        guard !declared.contains(chosen.text) else { return }
        let nearest = Nearest.names(to: chosen.text, among: declared.names)
        let place = file.document.place(node)
        problems.add(
            Diagnostic(.unknownEnvironment, "the default environment \(chosen.text.quoted) is not declared", at: place)
                .labelled(nearest.isEmpty ? "" : "did you mean \(nearest.listed())?")
                .helped(
                    by: declared.names.isEmpty
                        ? "declare it under 'environments', or remove the key"
                        : nearest.isEmpty ? declared.help : nil
                )
                .about("environment")
        )
    }

    private mutating func check(_ validated: inout ValidatedEnvironment, _ rulings: [(section: String, key: RulesKey)])
    {
        let facts = validated.facts
        for (section, key) in rulings {
            guard let ruling = ruled[key] else { continue }
            if !ruling.isTold {
                ruled[key]?.isTold = true
                problems.add(ruling.findings.problems.lazy.map { $0.found(inAll: ruling.environments) })
            }
            for offer in ruling.findings.offers { validated.offers[offer, default: []].append(section) }
            validated.needs += ruling.findings.needs
        }
        // Which operations exist is known only after reading the query files; here only whether any exist.
        // By index: a need is large, and few are unmet.
        let unmet = validated.needs.indices.filter { index in
            let provision = validated.needs[index].provision
            return validated.offers[provision.kind == .operation ? Provision(.operation) : provision] == nil
        }
        // An unreadable section might provide what is missing.
        let isWhole =
            !problems.hasUnreadParts
            && catalogue.sections.allSatisfy { type in
                file.document.value(type.name, of: validated.root).map {
                    isNull($0) || type.isPresentByDefault && file.document.kind($0).isScalar
                        || type.isRead(in: validated.configuration)
                } ?? true
            }
        if isWhole { problems.add(unmet.lazy.map { [needs = validated.needs] in needs[$0].problem.found(in: facts) }) }
        let addresses = AddressRules(document: file.document, facts: facts, offers: validated.offers)
        problems.add(addresses.problems(of: validated.addresses) + addresses.baseProblems())
    }

    /// Applies the rules of a section once for all environments with the same result.
    private mutating func rule(_ type: any Section.Type, in validated: ValidatedEnvironment) -> (
        section: String, key: RulesKey
    )? {
        guard let node = file.document.value(type.name, of: validated.root) else { return nil }
        let (facts, section) = (validated.facts, SectionKey(type: ObjectIdentifier(type), node: node))
        func key(_ dependence: Checks.Dependence) -> RulesKey {
            var key = RulesKey(section: section, dependence: dependence)
            if dependence >= .backend, facts.isBackendKnown { key.backend = facts.backend }
            if dependence == .environment { key.environment = facts.name }
            return key
        }
        let met = [.none, .backend].lazy.map(key).first { ruled[$0] != nil }
        if let met {
            if let name = facts.name { ruled[met]?.environments.append(name) }
            return (type.name, met)
        }
        var checks = Checks(file.document, configuration: validated.configuration, section: type.name)
        type.check(validated.configuration, &checks)
        let new = key(checks.findings.dependence)
        ruled[new] = Ruling(findings: checks.findings, environments: facts.name.map { [$0] } ?? [])
        return (type.name, new)
    }

    /// Removes allowed warnings, and reports invalid and unused allowances.
    private mutating func applyAllowances(_ allow: Named<Reason>) -> Set<Code> {
        guard !allow.items.isEmpty else { return [] }
        var allowed: Set<Code> = []
        let lints = Dictionary(
            catalogue.codes.filter { $0.severity == .warning }.map { ($0.name, $0) },
            uniquingKeysWith: { first, _ in first }
        )
        for item in allow.items {
            guard let node = item.namePlace.node, let code = lints[item.name] else {
                reportUnknownLint(item, known: lints.keys.sorted())
                continue
            }
            allowed.insert(code)
            let before = problems.warningCount
            problems.removeAll { $0.code == code }
            // Warnings of a later layer are known only after that layer has run.
            if problems.warningCount == before, code != .unusedAllow, code.layer == .file {
                problems.add(
                    Diagnostic(
                        .unusedAllow,
                        "allow.\(item.name): the warning does not occur",
                        at: file.document.place(node)
                    )
                    .about("allow.\(item.name)")
                )
            }
        }
        return allowed
    }

    private func help(forUnknownLint name: String) -> String {
        guard let code = catalogue.codes.first(where: { $0.name == name || $0.id == name.uppercased() }) else {
            return "a warning prints its name in brackets: warning[CW0208 secret-in-clear]"
        }
        switch code.severity {
        case .error: return "errors cannot be suppressed"
        case .warning: return "write its name: \(code.name)"
        case .note: return "notes need not be suppressed"
        }
    }

    private mutating func reportUnknownLint(_ item: Named<Reason>.Item, known: [String]) {
        let nearest = Nearest.names(to: item.name, among: known)
        problems.add(
            Diagnostic(
                .unknownLint,
                "allow: \(item.name.quoted) is not the name of a warning",
                at: item.namePlace.node.map(file.document.place)
            )
            .labelled(nearest.isEmpty ? "" : "did you mean \(nearest.listed())?")
            .helped(by: nearest.isEmpty ? help(forUnknownLint: item.name) : nil)
            .about("allow.\(item.name)")
        )
    }
}

extension Diagnostic {
    /// The problem for an environment, or for the file where it declares none.
    package func found(in facts: EnvironmentFacts) -> Self { found(inAll: facts.name.map { [$0] } ?? []) }

    /// The problem for several environments, or for the file where there are none.
    fileprivate func found(inAll environments: [String]) -> Self {
        var problem = self
        problem.environments = environments
        return problem
    }
}

extension Section {
    fileprivate static func isRead(in configuration: Configuration) -> Bool { configuration[Self.self] != nil }

    /// Reads a section of a type known only at run time.
    static func readAny(_ node: NodeID, with reader: Reader) -> (any Section)? {
        read(node, with: reader).value
    }

    fileprivate static func check(_ configuration: Configuration, _ checks: inout Checks) {
        configuration[Self.self]?.check(&checks)
    }
}
