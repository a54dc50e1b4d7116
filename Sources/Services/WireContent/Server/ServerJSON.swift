import WireBase
import WireConfig

/// A response parsed as JSON: values together with their original bytes.
struct ServerJSON {
    struct Node {
        let value: JSONValue
        let bytes: [UInt8]
    }

    private let document: Document
    private let root: NodeID
    private let source: SourceFile
    /// The setting that names the server.
    var origin: ValueOrigin?

    /// The maximum depth of a response.
    static let depth = 48

    /// - Throws: why the bytes are no JSON, without quoting them.
    init(_ bytes: [UInt8]) throws(Fault) {
        var limits = ReadingLimits()
        limits.depth = Self.depth
        limits.scalarLength = .mebibytes(64)
        let source: SourceFile
        do throws(WireConfig.Unreadable) {
            source = try TextDecoding.accept(bytes, named: "answer")
            var builder = DocumentBuilder(source: source, into: Document(), limits: limits)
            try JSONReader.read(&builder, source)
            let result = builder.finish()
            if let problem = result.problems.first(where: { $0.code.severity == .error }) {
                throw WireConfig.Unreadable(problem)
            }
            guard let root = result.root else { throw WireConfig.Unreadable(Self.empty(source)) }
            (self.document, self.root, self.source) = (result.document, root, source)
        } catch {
            let place = error.problem.place?.start
            let position = place.map { " (line \($0.line), column \($0.column))" } ?? ""
            throw Fault(error.problem.message + position)
        }
    }

    private static func empty(_ source: SourceFile) -> Diagnostic {
        Diagnostic(.emptyFile, "the answer is empty", at: SourceRange(source, 0..<0))
    }

    var whole: Node { node(root) }

    var isArray: Bool { document.kind(root) == .sequence }

    /// A member of the outermost object.
    func member(_ name: String) -> JSONValue? { document.value(name, of: root).map(value) }

    /// The items of the whole, or of a member; nil where that is no array.
    func items(of member: String? = nil) -> [Node]? {
        guard let node = member.map({ document.value($0, of: root) }) ?? root, document.kind(node) == .sequence else {
            return nil
        }
        return document.items(node).map(self.node)
    }

    private func node(_ node: NodeID) -> Node {
        let place = document.place(node)
        return Node(value: value(node), bytes: Array(source.bytes[place.bytes]))
    }

    private func value(_ node: NodeID) -> JSONValue {
        switch document.kind(node) {
        case .quoted, .alias: return .string(document.text(node))
        case .sequence: return .array(document.items(node).map(value))
        case .mapping: return .object(document.entries(node).map { (document.text($0.key), value($0.value)) })
        case .plain:
            let bytes = document.bytes(node)
            switch CoreScalar(bytes) {
            case .null: return .null
            case .boolean(let value): return .boolean(value)
            case .integer(let value): return .integer(value)
            case .number(let value) where value.isFinite: return .number(value)
            // Compared approximately; the original bytes are passed on.
            case .number, .hugeInteger, .text:
                let text = String(decoding: bytes, as: UTF8.self)
                return Double(text).map { $0.isFinite ? .number($0) : .string(text) } ?? .string(text)
            }
        }
    }
}
