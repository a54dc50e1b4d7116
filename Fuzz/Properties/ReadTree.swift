import WireBase
import WireConfig

/// A text, taken in and made into a tree; nothing asks yet what the tree means.
struct ReadTree {
    /// Small enough that inputs of a kilobyte reach every one of them.
    static let limits: ReadingLimits = {
        var limits = ReadingLimits()
        limits.depth = 24
        limits.nodes = 512
        limits.aliasedNodes = 256
        limits.scalarLength = .bytes(384)
        return limits
    }()

    var document: Document
    /// The node of the whole text; nil where it is empty or stopped being readable.
    let root: NodeID?
    /// Everything that was said about the text.
    let problems: [Diagnostic]
    private let isComplete: Bool
    private let openCollections: Int

    /// Nil where the bytes are no text; what was said about that has been looked at then.
    init?(_ bytes: some Sequence<UInt8>, _ format: FileFormat, into document: consuming Document = Document())
        throws(BrokenProperty)
    {
        let source: SourceFile
        do {
            source = try TextDecoding.accept(Array(bytes), named: "fuzz.\(format.extensions[0])")
        } catch {
            try error.problem.checkPlaces()
            return nil
        }
        guard isUTF8(source.bytes[...]) else {
            throw BrokenProperty("bytes that are not UTF-8 were taken in")
        }
        var builder = DocumentBuilder(source: source, into: document, limits: Self.limits)
        var failure: Diagnostic?
        do {
            try format.read(&builder, source)
        } catch {
            failure = error.problem
        }
        openCollections = builder.depth
        isComplete = failure == nil
        let result = builder.finish()
        self.document = result.document
        root = isComplete ? result.root : nil
        problems = result.problems + [failure].compactMap(\.self)
        try check(of: source)
    }

    /// Whether the tree is all of the text, and the text is without mistakes so far.
    var isSound: Bool { isComplete && !problems.contains { $0.code.severity == .error } }

    private func check(of source: SourceFile) throws(BrokenProperty) {
        for problem in problems {
            try problem.checkPlaces()
            guard problem.place.map({ $0.file.name == source.name }) ?? false else {
                throw BrokenProperty("\(problem.code.id) stands nowhere in the text")
            }
        }
        guard isComplete else { return }
        guard openCollections == 0 else { throw BrokenProperty("\(openCollections) collections were left open") }
        guard let root else { return }
        let mayRepeatKeys = problems.contains { $0.code == .duplicateKey }
        var walk = TreeWalk(document, limits: Self.limits, mayRepeatKeys: mayRepeatKeys)
        try walk.visit(root, depth: 0)
    }
}

extension Diagnostic {
    /// Every place that is told lies in its file, and can be told as line and column.
    func checkPlaces() throws(BrokenProperty) {
        if let place { try check(place) }
        for related in related { try check(related.place) }
        for edit in fix?.edits ?? [] { try check(edit.place) }
    }

    private func check(_ place: SourceRange) throws(BrokenProperty) {
        guard place.isInside else {
            throw BrokenProperty("\(code.id) is told at \(place.bytes) of \(place.file.bytes.count) bytes")
        }
        guard place.start <= place.end else {
            throw BrokenProperty("\(code.id) begins at \(place.start) and ends at \(place.end)")
        }
    }
}

extension SourceRange {
    var isInside: Bool { bytes.lowerBound >= 0 && bytes.upperBound <= file.bytes.count }
}

/// Whether bytes are UTF-8, found out without a copy.
func isUTF8(_ bytes: ArraySlice<UInt8>) -> Bool {
    do {
        _ = try UTF8Span(validating: bytes.span)
        return true
    } catch {
        return false
    }
}
