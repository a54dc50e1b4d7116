/// Remembers what was made of nodes that several environments share, with all that was found on the way.
///
/// An overlay that changes one handler of a thousand makes a new mapping of handlers, whose other entries are the nodes
/// they were. Those are not read again; what stands inside them is not remembered, because nobody will ask for it.
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
        let before = reader.findings.counts
        let reading = Value.read(node, with: reader)
        kept[key] = Kept(reading, reader.findings.since(before))
        return reading
    }
}

extension Reader {
    /// Reads a node as some type, from memory where other environments share it.
    ///
    /// What stands behind an alias is read each time: the same node has several paths then.
    func read<Value: SettingValue>(_ type: Value.Type, _ node: NodeID) -> Reading<Value> {
        guard let memory else { return Value.read(node, with: self) }
        guard !document.isAlias(node) else {
            self.memory = nil
            defer { self.memory = memory }
            return Value.read(node, with: self)
        }
        return document.isShared(node) ? memory.read(type, node, with: self) : Value.read(node, with: self)
    }
}

extension Reader.Findings {
    /// How many there are of each kind, so that what comes later can be told apart.
    struct Counts: Equatable {
        let problems, missing, references, secrets, localNeeds, addresses, coverages: Int
    }

    var counts: Counts {
        Counts(
            problems: problems.count,
            missing: missing.count,
            references: references.count,
            secrets: secrets.count,
            localNeeds: localNeeds.count,
            addresses: addresses.count,
            coverages: coverages.count
        )
    }

    /// What was found since there were so many; nil for nothing.
    fileprivate func since(_ earlier: Counts) -> Self? {
        guard counts != earlier else { return nil }
        var own = Self()
        own.problems += problems[earlier.problems...]
        own.missing += missing[earlier.missing...]
        own.references += references[earlier.references...]
        own.secrets += secrets[earlier.secrets...]
        own.localNeeds += localNeeds[earlier.localNeeds...]
        own.addresses += addresses[earlier.addresses...]
        own.coverages += coverages[earlier.coverages...]
        return own
    }

    /// Forgets what was found since there were so many.
    mutating func removeAll(since earlier: Counts) {
        problems.removeSubrange(earlier.problems...)
        missing.removeSubrange(earlier.missing...)
        references.removeSubrange(earlier.references...)
        secrets.removeSubrange(earlier.secrets...)
        localNeeds.removeSubrange(earlier.localNeeds...)
        addresses.removeSubrange(earlier.addresses...)
        coverages.removeSubrange(earlier.coverages...)
    }

    fileprivate mutating func append(_ other: Self) {
        problems += other.problems
        missing += other.missing
        references += other.references
        secrets += other.secrets
        localNeeds += other.localNeeds
        addresses += other.addresses
        coverages += other.coverages
    }
}
