package import WireBase

extension Document {
    /// Adds a file and returns its number, which nodes refer to.
    package mutating func add(_ file: SourceFile) -> UInt16 {
        files.append(file)
        return UInt16(files.count - 1)
    }

    /// Reserves capacity for further nodes.
    mutating func reserve(nodes count: Int) {
        records.reserveCapacity(records.count + count)
        children.reserveCapacity(children.count + count)
    }

    /// Adds a scalar whose text is identical in the file.
    mutating func addScalar(_ kind: NodeKind, in file: UInt16, at place: Range<Int>, text: Range<Int>) -> NodeID {
        add(
            NodeRecord(
                kind: kind,
                marks: [],
                file: file,
                start: UInt32(place.lowerBound),
                end: UInt32(place.upperBound),
                first: UInt32(text.lowerBound),
                count: UInt32(text.count)
            )
        )
    }

    /// Adds a scalar whose text differs from the file: escapes, folded lines, values made by a dialect.
    package mutating func addScalar(
        _ kind: NodeKind,
        in file: UInt16,
        at place: Range<Int>,
        rewritten text: some Collection<UInt8>
    ) -> NodeID {
        let first = texts.count
        texts.append(contentsOf: text)
        return add(
            NodeRecord(
                kind: kind,
                marks: .rewritten,
                file: file,
                start: UInt32(place.lowerBound),
                end: UInt32(place.upperBound),
                first: UInt32(first),
                count: UInt32(text.count)
            )
        )
    }

    mutating func addAlias(of target: NodeID, in file: UInt16, at place: Range<Int>) -> NodeID {
        add(
            NodeRecord(
                kind: .alias,
                marks: [],
                file: file,
                start: UInt32(place.lowerBound),
                end: UInt32(place.upperBound),
                first: target.number,
                count: 0
            )
        )
    }

    mutating func addCollection(
        _ kind: NodeKind,
        in file: UInt16,
        at place: Range<Int>,
        children members: some Collection<NodeID>
    ) -> NodeID {
        let first = children.count
        children.append(contentsOf: members)
        return add(
            NodeRecord(
                kind: kind,
                marks: [],
                file: file,
                start: UInt32(place.lowerBound),
                end: UInt32(place.upperBound),
                first: UInt32(first),
                count: UInt32(members.count)
            )
        )
    }

    /// Marks a collection as shared by several mappings; scalars are not marked, as reading them again is cheap.
    mutating func markShared(_ node: NodeID) {
        guard !records[Int(node.number)].kind.isScalar else { return }
        records[Int(node.number)].marks.insert(.shared)
    }

    private mutating func add(_ record: NodeRecord) -> NodeID {
        records.append(record)
        return NodeID(number: UInt32(records.count - 1))
    }
}

extension Document {
    /// Makes a mapping of existing nodes, at the location of `model`.
    package mutating func makeMapping(_ entries: some Collection<Entry>, like model: NodeID) -> NodeID {
        let (file, place) = origin(of: model)
        return addCollection(.mapping, in: file, at: place, children: entries.flatMap { [$0.key, $0.value] })
    }

    /// Makes a sequence of existing nodes, at the location of `model`.
    package mutating func makeSequence(_ items: some Collection<NodeID>, like model: NodeID) -> NodeID {
        let (file, place) = origin(of: model)
        return addCollection(.sequence, in: file, at: place, children: items)
    }

    /// Makes a scalar that is in no file, at the location of `model`.
    package mutating func makeScalar(_ text: String, kind: NodeKind = .quoted, like model: NodeID) -> NodeID {
        let (file, place) = origin(of: model)
        return addScalar(kind, in: file, at: place, rewritten: Array(text.utf8))
    }

    private func origin(of node: NodeID) -> (file: UInt16, place: Range<Int>) {
        let record = records[Int(node.number)]
        return (record.file, Int(record.start)..<Int(record.end))
    }
}
