/// Caches the results of reading nodes that several environments share, with their findings.
///
/// An overlay that changes one handler of a thousand makes a new mapping whose other entries are shared nodes. Those
/// are not read again. Nodes inside them are not cached, because they are never requested.
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

    /// Reads a node, or returns the cached result.
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
    /// Reads a node as a type, from the cache where environments share it.
    ///
    /// A node behind an alias is read each time, because it has several paths.
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
    /// The number of findings of each kind, to find later ones.
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

    /// The findings since earlier counts; nil where there are none.
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

    /// Removes the findings since earlier counts.
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
