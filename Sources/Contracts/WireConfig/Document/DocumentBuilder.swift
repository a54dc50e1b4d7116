package import WireBase

/// Builds nodes for all format readers; applies the rules for duplicate keys, anchors, merge keys and limits.
package struct DocumentBuilder: ~Copyable {
    package var document: Document
    package private(set) var problems: [Diagnostic] = []
    /// The root node, once the text is complete.
    package private(set) var root: NodeID?

    let file: UInt16
    let source: SourceFile
    let limits: ReadingLimits
    private var open: [OpenCollection] = []
    /// Finished nodes of open collections; each collection knows its first one.
    private var pending: [NodeID] = []
    private var anchors: [String: Anchor] = [:]
    private var aliasedNodes = 0

    private struct OpenCollection {
        let kind: NodeKind
        let start: Int
        let firstPending: Int
        let anchor: String?
        /// The number of nodes below, with aliases expanded.
        var weight = 1
        /// The number of levels below, with aliases expanded.
        var height = 1
        var hasMergeKey = false
    }

    private struct Anchor {
        let node: NodeID
        let weight: Int
        let height: Int
    }

    package init(source: SourceFile, into document: consuming Document, limits: ReadingLimits) {
        self.document = document
        self.source = source
        self.limits = limits
        file = self.document.add(source)
        // Typical files have one node for every twelve bytes; reserving avoids copies.
        self.document.reserve(nodes: source.bytes.count / 12)
    }

    /// Returns the document at the end of the text.
    package consuming func finish() -> (document: Document, root: NodeID?, problems: [Diagnostic]) {
        (document, root, problems)
    }

    // MARK: Reader callbacks

    package mutating func beginCollection(_ kind: NodeKind, at start: Int, anchor: String? = nil) throws(Unreadable) {
        guard open.count < limits.depth else {
            throw exceeded("depth", "\(limits.depth) levels", at: firstByte(from: start))
        }
        open.append(OpenCollection(kind: kind, start: start, firstPending: pending.count, anchor: anchor))
    }

    package mutating func endCollection(at end: Int) throws(Unreadable) {
        let collection = open.removeLast()
        let place = collection.start..<end
        let members = collection.firstPending..<pending.count
        let node: NodeID
        if collection.kind == .mapping, needsWork(members) || collection.hasMergeKey {
            // Rare, so that a copy is acceptable.
            var own = Array(pending[members])
            pending.removeLast(members.count)
            if hasStrangeKey(own) {
                if isBareTemplate(own), let template = try bareTemplate(collection, end: end) {
                    return try finished(template, weight: 1, anchor: collection.anchor)
                }
                own = withTextKeysOnly(own)
            }
            reportDuplicates(in: own)
            if collection.hasMergeKey { own = try merged(own) }
            node = document.addCollection(.mapping, in: file, at: place, children: own)
        } else {
            node = document.addCollection(collection.kind, in: file, at: place, children: pending[members])
            pending.removeLast(members.count)
        }
        try finished(node, weight: collection.weight, height: collection.height, anchor: collection.anchor)
    }

    /// Whether a mapping has keys that are not text, or possible duplicates.
    private func needsWork(_ members: Range<Int>) -> Bool {
        // Comparing is faster than hashing for small mappings, which are nearly all.
        guard members.count <= 16 else { return true }
        for position in stride(from: members.lowerBound, to: members.upperBound, by: 2) {
            let key = pending[position]
            guard document.kind(key).isScalar else { return true }
            for earlier in stride(from: members.lowerBound, to: position, by: 2)
            where document.haveSameText(pending[earlier], key) {
                return true
            }
        }
        return false
    }

    private func hasStrangeKey(_ members: [NodeID]) -> Bool {
        stride(from: 0, to: members.count, by: 2).contains { !document.kind(members[$0]).isScalar }
    }

    /// Reports `{{ name }}` without quotes, which YAML reads as a mapping in a mapping.
    ///
    /// The node is then read as the intended template, to avoid follow-up problems.
    private mutating func bareTemplate(_ collection: OpenCollection, end: Int) throws(Unreadable) -> NodeID? {
        try checkLength(end - collection.start, at: collection.start..<end)
        let text = source.bytes[collection.start..<end]
        guard text.starts(with: "{{".utf8), !text.contains(UInt8(ascii: "\n")) else { return nil }
        let place = range(collection.start..<end)
        let written = String(decoding: text, as: UTF8.self)
        let quote = written.contains("\"") ? "'" : "\""
        problems.append(
            Diagnostic(.keyNotText, "a template must be quoted", at: place)
                .helped(by: "YAML reads {{ … }} as a mapping inside a mapping")
                .fixed(
                    by: written.contains(quote)
                        ? nil : .replace(place, with: quote + written + quote, "put it in quotes")
                )
        )
        return document.addScalar(.quoted, in: file, at: collection.start..<end, text: collection.start..<end)
    }

    /// Whether a mapping consists of names without values, as braces inside braces produce.
    private func isBareTemplate(_ members: [NodeID]) -> Bool {
        guard members.count == 2, document.kind(members[0]) == .mapping, document.isNull(members[1]) else {
            return false
        }
        return document.entries(members[0]).allSatisfy { document.isNull($0.value) }
    }

    private mutating func withTextKeysOnly(_ members: [NodeID]) -> [NodeID] {
        var kept: [NodeID] = []
        for position in stride(from: members.startIndex, to: members.endIndex, by: 2) {
            let key = members[position]
            if document.kind(key).isScalar {
                kept += [key, members[position + 1]]
            } else {
                problems.append(
                    Diagnostic(.keyNotText, "a key is text", at: document.place(key))
                        .labelled("this is a \(document.kind(key) == .mapping ? "mapping" : "list")")
                )
            }
        }
        return kept
    }

    /// Adds a scalar whose text is the given bytes of the file.
    package mutating func scalar(
        _ kind: NodeKind,
        at place: Range<Int>,
        text: Range<Int>,
        anchor: String? = nil
    ) throws(Unreadable) {
        try checkLength(text.count, at: place)
        let node = document.addScalar(kind, in: file, at: place, text: text)
        noteMergeKey(kind, isMerge: text.count == 2 && source.bytes[text].elementsEqual("<<".utf8))
        try finished(node, weight: 1, anchor: anchor)
    }

    /// Adds a scalar whose text differs from the file.
    package mutating func scalar(
        _ kind: NodeKind,
        at place: Range<Int>,
        rewritten text: some Collection<UInt8>,
        anchor: String? = nil
    ) throws(Unreadable) {
        try checkLength(text.count, at: place)
        let node = document.addScalar(kind, in: file, at: place, rewritten: text)
        try finished(node, weight: 1, anchor: anchor)
    }

    package mutating func alias(_ name: String, at place: Range<Int>) throws(Unreadable) {
        guard let anchor = anchors[name] else {
            let isOpen = open.contains { $0.anchor == name }
            throw Unreadable(
                isOpen
                    ? Diagnostic(
                        .aliasInsideItself,
                        "alias \(name.quoted) is inside its own anchor",
                        at: range(place)
                    )
                    : unknownAlias(name, at: place)
            )
        }
        try countAliased(anchor.weight, at: place)
        guard open.count + anchor.height <= limits.depth else {
            throw exceeded("depth", "\(limits.depth) levels", at: place)
        }
        let node = document.addAlias(of: anchor.node, in: file, at: place)
        try finished(node, weight: anchor.weight, height: anchor.height, anchor: nil)
    }

    /// Reports a problem that does not stop reading.
    package mutating func report(_ problem: Diagnostic) {
        problems.append(problem)
    }

    package func range(_ bytes: Range<Int>) -> SourceRange {
        SourceRange(source, bytes)
    }

    /// The number of open collections, for readers that must close them.
    package var depth: Int { open.count }

    // MARK: Rules

    private mutating func finished(_ node: NodeID, weight: Int, height: Int = 0, anchor: String?) throws(Unreadable) {
        if document.nodeCount > limits.nodes {
            throw exceeded("nodes", "\(limits.nodes) nodes", at: place(of: node))
        }
        if let anchor { anchors[anchor] = Anchor(node: node, weight: weight, height: height) }
        if open.isEmpty {
            root = node
        } else {
            pending.append(node)
            open[open.count - 1].weight += weight
            open[open.count - 1].height = max(open[open.count - 1].height, height + 1)
        }
    }

    private func place(of node: NodeID) -> Range<Int> { document.place(node).bytes }

    private mutating func noteMergeKey(_ kind: NodeKind, isMerge: Bool) {
        guard isMerge, kind == .plain, let collection = open.last, collection.kind == .mapping,
            (pending.count - collection.firstPending).isMultiple(of: 2)
        else { return }
        open[open.count - 1].hasMergeKey = true
    }

    private func checkLength(_ length: Int, at place: Range<Int>) throws(Unreadable) {
        guard length <= limits.scalarLength.bytes else {
            throw exceeded(
                "scalarLength",
                "\(limits.scalarLength) in one value",
                at: firstByte(from: place.lowerBound)
            )
        }
    }

    /// The first byte of a range; empty at the end of the text.
    private func firstByte(from start: Int) -> Range<Int> {
        start..<max(start, min(start + 1, source.bytes.count))
    }

    private mutating func countAliased(_ weight: Int, at place: Range<Int>) throws(Unreadable) {
        aliasedNodes += weight
        guard aliasedNodes <= limits.aliasedNodes else {
            throw exceeded("aliasedNodes", "\(limits.aliasedNodes) nodes added by aliases", at: place)
        }
    }

    package func exceeded(_ limit: String, _ allowed: String, at place: Range<Int>) -> Unreadable {
        Unreadable(
            Diagnostic(.limitExceeded, "the limit '\(limit)' is \(allowed)", at: range(place))
                .labelled("past the limit here")
        )
    }

    /// An invalid anchor name may be a secret that begins with a star.
    private func unknownAlias(_ name: String, at place: Range<Int>) -> Diagnostic {
        guard let nearest = nearestAnchor(to: name) else {
            return Diagnostic(.unknownAlias, "an alias has no anchor before it", at: range(place))
                .helped(by: "to keep it text, put it in quotes")
        }
        return Diagnostic(.unknownAlias, "alias \(name.quoted) has no anchor before it", at: range(place))
            .helped(by: nearest)
    }

    private func nearestAnchor(to name: String) -> String? {
        Nearest.name(to: name, among: anchors.keys.sorted()).map { "did you mean '*\($0)'?" }
    }

    private mutating func reportDuplicates(in members: [NodeID]) {
        var first: [ArraySlice<UInt8>: NodeID] = [:]
        first.reserveCapacity(members.count / 2)
        for position in stride(from: members.startIndex, to: members.endIndex, by: 2) {
            let key = members[position]
            if let earlier = first.updateValue(key, forKey: document.bytes(key)) { reportDuplicate(key, of: earlier) }
        }
    }

    private mutating func reportDuplicate(_ key: NodeID, of earlier: NodeID) {
        guard document.kind(key).isScalar else { return }
        problems.append(
            Diagnostic(
                .duplicateKey,
                "key \(document.text(key).quoted) is duplicated in a mapping",
                at: document.place(key)
            )
            .labelled("again here")
            .related(document.place(earlier), "first here")
        )
    }

    /// Replaces each `<<` by its entries: keys of the mapping take precedence, then earlier merges.
    private mutating func merged(_ members: [NodeID]) throws(Unreadable) -> [NodeID] {
        var own: [NodeID] = []
        var brought: [Entry] = []
        for position in stride(from: members.startIndex, to: members.endIndex, by: 2) {
            let (key, value) = (members[position], members[position + 1])
            guard document.kind(key) == .plain, document.bytes(key).elementsEqual("<<".utf8) else {
                own += [key, value]
                continue
            }
            let sources = document.kind(value) == .sequence ? Array(document.items(value)) : [value]
            for source in sources {
                guard document.kind(source) == .mapping else {
                    problems.append(
                        Diagnostic(
                            .badMergeKey,
                            "'<<' takes a mapping or a list of mappings",
                            at: document.place(source)
                        )
                        .labelled("this is neither")
                        .helped(
                            by: document.kind(source).isScalar
                                ? "merge an anchor with its alias, such as *name; extend an environment with 'extends'"
                                : nil
                        )
                    )
                    continue
                }
                try countAliased(document.entries(source).count, at: place(of: key))
                brought.append(contentsOf: document.entries(source))
            }
        }
        var known = Set(stride(from: 0, to: own.count, by: 2).map { document.bytes(own[$0]) })
        for entry in brought where known.insert(document.bytes(entry.key)).inserted {
            own += [entry.key, entry.value]
        }
        return own
    }
}

/// Thrown where the rest of a text cannot be read.
package struct Unreadable: Error, Sendable {
    package let problem: Diagnostic

    package init(_ problem: Diagnostic) {
        self.problem = problem
    }
}
