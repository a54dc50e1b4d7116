import WireBase
import WireConfig

/// A tree in the making, of nodes that exist and of texts that no file has, each standing where a node stands.
indirect enum Sketch {
    case node(NodeID)
    case scalar(String, NodeKind, like: NodeID)
    case mapping([Member], like: NodeID)
    case list([Sketch], like: NodeID)

    struct Member {
        let key: Sketch
        let value: Sketch

        init(_ key: Sketch, _ value: Sketch) {
            self.key = key
            self.value = value
        }

        init(_ entry: Entry) {
            self.init(.node(entry.key), .node(entry.value))
        }

        /// A member with a key that stands where `model` stands.
        init(_ key: String, _ value: Sketch, like model: NodeID) {
            self.init(.scalar(key, .quoted, like: model), value)
        }
    }

    static func text(_ text: String, like model: NodeID) -> Self { .scalar(text, .quoted, like: model) }
}

/// Draws a sketch as a tree that stands in one text.
///
/// A mapping of new keys and old values can only be built the way a reader builds it. So the text is taken in a second
/// time, and the tree, what is hidden in it, and what was said of it, all refer to that second copy: a message that
/// pointed into the first would not know what to hide.
struct Drawing {
    private let original: SourceFile
    private let copy: SourceFile

    init(over original: SourceFile) {
        self.original = original
        copy = SourceFile(
            name: original.name,
            bytes: original.bytes,
            prefixLength: original.prefixLength,
            isFile: original.isFile
        )
    }

    /// The tree of a sketch; nil where it goes beyond the limits of reading, which is told.
    func draw(_ sketch: Sketch, in document: inout Document, _ problems: inout [Diagnostic]) -> NodeID? {
        var limits = ReadingLimits()
        // A service is listed one level deeper than it was.
        limits.depth += 8
        var builder = DocumentBuilder(source: copy, into: document, limits: limits)
        document = Document()
        do {
            try Self.draw(sketch, &builder)
        } catch {
            problems.append(error.problem)
        }
        // Double keys were told when the text was read.
        let result = builder.finish()
        document = result.document
        return result.root
    }

    private static func draw(_ sketch: Sketch, _ builder: inout DocumentBuilder) throws(Unreadable) {
        switch sketch {
        case .node(let node):
            try redraw(node, &builder)
        case .scalar(let text, let kind, let model):
            try builder.scalar(kind, at: builder.document.place(model).bytes, rewritten: Array(text.utf8))
        case .mapping(let members, let model):
            let place = builder.document.place(model).bytes
            try builder.beginCollection(.mapping, at: place.lowerBound)
            for member in members {
                try draw(member.key, &builder)
                try draw(member.value, &builder)
            }
            try builder.endCollection(at: place.upperBound)
        case .list(let items, let model):
            let place = builder.document.place(model).bytes
            try builder.beginCollection(.sequence, at: place.lowerBound)
            for item in items { try draw(item, &builder) }
            try builder.endCollection(at: place.upperBound)
        }
    }

    private static func redraw(_ node: NodeID, _ builder: inout DocumentBuilder) throws(Unreadable) {
        let kind = builder.document.kind(node)
        switch kind {
        case .mapping:
            try draw(.mapping(builder.document.entries(node).map(Sketch.Member.init), like: node), &builder)
        case .sequence:
            try draw(.list(builder.document.items(node).map(Sketch.node), like: node), &builder)
        default:
            try builder.scalar(kind, at: builder.document.place(node).bytes, rewritten: Array(builder.document.bytes(node)))
        }
    }

    // MARK: Messages

    /// A message about the text, pointing into the copy that the tree stands in.
    func moved(_ problem: Diagnostic) -> Diagnostic {
        var moved = problem
        moved.place = problem.place.map(moved(_:))
        moved.related = []
        for related in problem.related { moved = moved.related(self.moved(related.place), related.text) }
        moved.fix = problem.fix.map { fix in
            Fix(fix.summary, fix.edits.map { Fix.Edit(self.moved($0.place), $0.replacement) })
        }
        return moved
    }

    /// Whether a message points into the text that was read.
    func concerns(_ problem: Diagnostic) -> Bool {
        problem.place?.file === original || problem.related.contains { $0.place.file === original }
    }

    private func moved(_ place: SourceRange) -> SourceRange {
        place.file === original ? SourceRange(copy, place.bytes) : place
    }
}
