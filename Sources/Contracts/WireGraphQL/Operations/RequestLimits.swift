/// The limits of an operation with all its fragments expanded.
package struct RequestLimits: Sendable {
    /// The maximum depth of fields.
    package var depth: Int
    /// The maximum nesting of selection sets, fragments and spreads together, which is the recursion depth of later
    /// steps.
    package var nesting: Int
    /// The maximum number of fields.
    package var fields: Int
    /// The maximum number of root fields.
    package var rootFields: Int
    /// The maximum number of aliases.
    package var aliases: Int
    /// The maximum number of directives.
    package var directives: Int

    package init(
        depth: Int = 25,
        nesting: Int = 100,
        fields: Int = 5000,
        rootFields: Int = 50,
        aliases: Int = 200,
        directives: Int = 200
    ) {
        self.depth = depth
        self.nesting = nesting
        self.fields = fields
        self.rootFields = rootFields
        self.aliases = aliases
        self.directives = directives
    }

    /// The first limit that an operation exceeds.
    ///
    /// Each fragment is counted once, so the work is independent of the expanded size.
    package func finding(of operation: Syntax.Operation, in document: Syntax.Document) -> Finding? {
        let graph = FragmentGraph(document)
        if let cycle = graph.cycles.first {
            let name = cycle.spread.name
            return Finding(.noFragmentCycles, "the fragment '\(name.text)' spreads itself", at: name.place)
        }
        var size = OperationSize(of: operation.selections, in: graph)
        size.directives += operation.directives.count
        let counts = [
            (size.depth, depth, "nests deeper than \(depth) levels"),
            (size.nesting, nesting, "nests fragments deeper than \(nesting) levels"),
            (size.fields, fields, "has more than \(fields) fields"),
            (size.rootFields, rootFields, "has more than \(rootFields) fields at its root"),
            (size.aliases, aliases, "has more than \(aliases) aliases"),
            (size.directives, directives, "has more than \(directives) directives"),
        ]
        guard let exceeded = counts.first(where: { $0.0 > $0.1 }) else { return nil }
        return Finding(.limits, "\(operation.title) \(exceeded.2)", at: operation.heading)
    }
}

/// The size of a selection set.
private struct OperationSize {
    var depth = 0
    var nesting = 0
    var fields = 0
    var rootFields = 0
    var aliases = 0
    var directives = 0

    init() {}

    init(of set: Syntax.SelectionSet, in graph: FragmentGraph) {
        var fragments = [Self](repeating: Self(), count: graph.fragments.count)
        // A fragment within a cycle counts as empty.
        for number in graph.order {
            var size = Self()
            size.directives = graph.fragments[number].directives.count
            size.add(graph.fragments[number].selections) { graph.index[$0].map { fragments[$0] } }
            fragments[number] = size
        }
        add(set) { graph.index[$0].map { fragments[$0] } }
    }

    private mutating func add(_ set: Syntax.SelectionSet, _ fragment: (String) -> Self?) {
        for selection in set.selections {
            directives.add(selection.directives.count)
            switch selection {
            case .field(let field): add(field, fragment)
            case .inline(let inline):
                var inner = Self()
                inner.add(inline.selections, fragment)
                include(inner)
            case .spread(let spread):
                guard let size = fragment(spread.name.text) else { continue }
                include(size)
            }
        }
    }

    private mutating func add(_ field: Syntax.Field, _ fragment: (String) -> Self?) {
        fields.add(1)
        rootFields.add(1)
        aliases.add(field.alias == nil ? 0 : 1)
        var inner = Self()
        if let set = field.selections { inner.add(set, fragment) }
        add(inner)
        depth = max(depth, inner.depth + 1)
        nesting = max(nesting, inner.nesting + 1)
    }

    /// Adds the size of a fragment for a spread.
    private mutating func include(_ inner: Self) {
        add(inner)
        rootFields.add(inner.rootFields)
        depth = max(depth, inner.depth)
        nesting = max(nesting, inner.nesting + 1)
    }

    private mutating func add(_ other: Self) {
        fields.add(other.fields)
        aliases.add(other.aliases)
        directives.add(other.directives)
    }
}

extension Int {
    /// Adds with saturation: nested spreads double the count each time.
    fileprivate mutating func add(_ other: Int) {
        let (sum, isTooLarge) = addingReportingOverflow(other)
        self = isTooLarge ? .max : sum
    }
}
