import WireBase

/// Validates operations and fragments (GraphQL specification, section 5).
///
/// Each definition is visited once, which collects the input of the rules about uses: selections by response level,
/// spreads and variables.
package struct Validator {
    let document: Syntax.Document
    let schema: Schema
    let limits: ValidationLimits
    /// The rules to report; nil for all.
    private let rules: Set<Finding.Rule>?
    let fragments: FragmentGraph
    var index: SchemaIndex
    var selections = SelectionTable()
    /// The variables used by a definition; replaced with each definition.
    var uses: [VariableUse] = []
    private(set) var findings: [Finding] = []
    private var steps = 0

    private init(
        _ document: Syntax.Document,
        _ schema: Schema,
        _ limits: ValidationLimits,
        _ rules: Set<Finding.Rule>?
    ) {
        self.document = document
        self.schema = schema
        self.limits = limits
        self.rules = rules
        fragments = FragmentGraph(document)
        index = SchemaIndex(schema)
    }

    /// The problems of a document, in text order, with all files validated as one document.
    package static func findings(
        in document: Syntax.Document,
        against schema: Schema,
        limits: ValidationLimits = .file
    ) -> [Finding] {
        findings(in: document, schema, limits, nil)
    }

    /// The problems that do not depend on a schema: names of fragments, operations and variables, and cycles.
    package static func findings(in document: Syntax.Document, limits: ValidationLimits = .file) -> [Finding] {
        let schema = Schema(types: [], directives: [], query: nil, mutation: nil, subscription: nil)
        return findings(in: document, schema, limits, rulesOfNames)
    }

    /// The rules that need no schema.
    private static let rulesOfNames: Set<Finding.Rule> = [
        .executableDefinitions, .uniqueOperationNames, .loneAnonymousOperation, .uniqueFragmentNames,
        .knownFragmentNames, .noUnusedFragments, .noFragmentCycles, .uniqueVariableNames, .noUndefinedVariables,
        .noUnusedVariables, .uniqueArgumentNames, .uniqueInputFieldNames, .limits,
    ]

    private static func findings(
        in document: Syntax.Document,
        _ schema: Schema,
        _ limits: ValidationLimits,
        _ rules: Set<Finding.Rule>?
    ) -> [Finding] {
        var validator = Self(document, schema, limits, rules)
        validator.checkDefinitions()
        let fragmentUses = validator.walkFragments()
        validator.walkOperations(fragmentUses)
        validator.checkCycles()
        if rules == nil { validator.checkMerging() }
        if limits.reportsUnusedFragments { validator.checkUnusedFragments() }
        return validator.findings.sorted(along: document)
    }

    // MARK: Shared

    mutating func report(_ finding: Finding) {
        guard rules?.contains(finding.rule) ?? true, findings.count < limits.findings else { return }
        findings.append(finding)
    }

    mutating func report(_ rule: Finding.Rule, _ message: String, at place: SourceRange?, help: String? = nil) {
        report(Finding(rule, message, at: place, help: help))
    }

    /// Whether a rule that follows uses may continue; reports once that the limit is reached.
    mutating func spend(_ count: Int) -> Bool {
        let hadSome = steps <= limits.steps
        steps += count
        if hadSome, steps > limits.steps {
            report(
                .limits,
                "the document has too many fragment spreads to validate",
                at: document.operations.first?.heading ?? document.definitions.first?.place
            )
        }
        return steps <= limits.steps
    }

    /// A suggestion with the nearest name; nil once no more findings are collected, because the search is expensive.
    func meant(_ name: String, _ candidates: @autoclosure () -> [String], mark: String = "") -> String? {
        guard findings.count < limits.findings else { return nil }
        return Nearest.name(to: name, among: candidates().prefix(1000)).map { "did you mean '\(mark)\($0)'?" }
    }

    // MARK: Walks

    /// Visits each fragment, and returns the variables that each one uses.
    private mutating func walkFragments() -> [[VariableUse]] {
        fragments.fragments.map { fragment in
            uses = []
            let type = typeCondition(fragment.typeCondition)
            check(fragment.directives, at: .fragmentDefinition)
            let root = walk(fragment.selections, in: type)
            selections.fragmentRoots.append(root)
            return uses
        }
    }

    private mutating func walkOperations(_ fragmentUses: [[VariableUse]]) {
        for operation in document.operations {
            uses = []
            let root = schema.root(of: operation.kind).flatMap { schema.type($0) }
            if root == nil {
                report(.knownOperationTypes, "the schema has no \(operation.kind)s", at: operation.heading)
            }
            check(operation.directives, at: operation.kind.location)
            let set = walk(operation.selections, in: root)
            selections.operationRoots.append(set)
            checkVariables(of: operation, fragmentUses)
            if operation.kind == .subscription, let root { checkSingleField(of: operation, in: root) }
        }
    }
}

extension OperationKind {
    fileprivate var location: DirectiveLocation {
        switch self {
        case .query: .query
        case .mutation: .mutation
        case .subscription: .subscription
        }
    }
}

extension Syntax.Operation {
    /// The location for messages about the whole operation: its name, first word or first brace.
    var heading: SourceRange {
        if let name { return name.place }
        let begin = place.bytes.lowerBound
        guard description == nil, begin < selections.place.bytes.lowerBound else {
            let brace = selections.place.bytes.lowerBound
            return SourceRange(place.file, brace..<brace + 1)
        }
        return SourceRange(place.file, begin..<begin + kind.rawValue.utf8.count)
    }

    /// The name of the operation in messages.
    var title: String { name.map { "\(kind.rawValue) '\($0.text)'" } ?? "the \(kind.rawValue)" }
}

extension [Finding] {
    /// The findings in the order of files and text.
    func sorted(along document: Syntax.Document) -> Self {
        var ranks: [ObjectIdentifier: Int] = [:]
        for definition in document.definitions {
            let file = ObjectIdentifier(definition.place.file)
            if ranks[file] == nil { ranks[file] = ranks.count }
        }
        func key(_ entry: (offset: Int, element: Finding)) -> (Int, Int, Int) {
            guard let place = entry.element.place else { return (-1, 0, entry.offset) }
            return (ranks[ObjectIdentifier(place.file)] ?? -1, place.bytes.lowerBound, entry.offset)
        }
        return enumerated().sorted { key($0) < key($1) }.map(\.element)
    }
}
