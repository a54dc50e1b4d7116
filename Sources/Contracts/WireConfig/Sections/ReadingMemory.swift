/// Remembers what was made of nodes that several environments share, with all that was found on the way.
///
/// An overlay that changes one handler of a thousand makes a new mapping of handlers, whose other entries are the nodes
/// they were. Those are not read again.
final class ReadingMemory {
    private struct Key: Hashable {
        let type: ObjectIdentifier
        let node: NodeID
    }

    private final class Kept<Value: Sendable> {
        let reading: Reading<Value>
        let findings: Reader.Findings?

        init(_ reading: Reading<Value>, _ findings: Reader.Findings?) {
            self.reading = reading
            self.findings = findings
        }
    }

    private var kept: [Key: AnyObject] = [:]

    /// Reads a node, or gives what it was read as before.
    fileprivate func read<Value: SettingValue>(_ type: Value.Type, _ node: NodeID, with reader: Reader) -> Reading<
        Value
    > {
        let key = Key(type: ObjectIdentifier(type), node: node)
        if let known = kept[key] as? Kept<Value> {
            if let findings = known.findings { reader.findings.append(findings) }
            return known.reading
        }
        let outer = reader.takeFindings()
        let reading = Value.read(node, with: reader)
        let own = reader.takeFindings()
        reader.findings = outer
        reader.findings.append(own)
        if !own.dependsOnEnvironment { kept[key] = Kept(reading, own.isEmpty ? nil : own) }
        return reading
    }
}

extension Reader {
    /// Reads a node as some type, from memory where that is worth it.
    ///
    /// What stands behind an alias is read each time: the same node has several paths then.
    func read<Value: SettingValue>(_ type: Value.Type, _ node: NodeID) -> Reading<Value> {
        guard let memory else { return Value.read(node, with: self) }
        guard !document.isAlias(node) else {
            self.memory = nil
            defer { self.memory = memory }
            return Value.read(node, with: self)
        }
        return document.isLarge(node) ? memory.read(type, node, with: self) : Value.read(node, with: self)
    }
}

extension Reader.Findings {
    fileprivate var isEmpty: Bool {
        problems.isEmpty && missing.isEmpty && references.isEmpty && secrets.isEmpty && localNeeds.isEmpty
            && addresses.isEmpty
    }

    fileprivate mutating func append(_ other: Self) {
        problems += other.problems
        missing += other.missing
        references += other.references
        secrets += other.secrets
        localNeeds += other.localNeeds
        addresses += other.addresses
        dependsOnEnvironment = dependsOnEnvironment || other.dependsOnEnvironment
    }
}

extension Document {
    /// Whether reading a node costs more than remembering it.
    fileprivate func isLarge(_ node: NodeID) -> Bool {
        switch kind(node) {
        case .mapping: entries(node).count >= 2
        case .sequence: items(node).count >= 2
        case .plain, .quoted, .alias: false
        }
    }
}
