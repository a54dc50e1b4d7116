import WireBase
import WireConfig
import WireYAML

/// A text read by itself.
struct ReadText {
    let document: Document
    let root: NodeID?
    let problems: [Diagnostic]

    init(_ text: String, limits: ReadingLimits = ReadingLimits()) {
        self.init(Array(text.utf8), limits: limits)
    }

    init(_ bytes: [UInt8], limits: ReadingLimits = ReadingLimits()) {
        do throws(Unreadable) {
            let source = try TextDecoding.accept(bytes, named: "test.yaml")
            var builder = DocumentBuilder(source: source, into: Document(), limits: limits)
            var failure: [Diagnostic] = []
            do throws(Unreadable) {
                try YAMLReader.read(&builder, source)
            } catch {
                failure = [error.problem]
            }
            let result = builder.finish()
            (document, root, problems) = (result.document, result.root, result.problems + failure)
        } catch {
            (document, root, problems) = (Document(), nil, [error.problem])
        }
    }

    func node(_ path: String...) -> NodeID? {
        root.flatMap { document.node(at: path, from: $0) }
    }

    /// The value at a path, as JSON would write it.
    func value(_ path: String...) -> String? {
        root.flatMap { document.node(at: path, from: $0) }.map { FreeValue($0, of: document).literal.flowText }
    }

    /// Where a value begins: line and column.
    func start(_ path: String...) -> [Int]? {
        root.flatMap { document.node(at: path, from: $0) }.map { document.place($0).start }.map {
            [$0.line, $0.column]
        }
    }

    /// The text of the file a node covers.
    func written(_ path: String...) -> String? {
        root.flatMap { document.node(at: path, from: $0) }.map { document.place($0) }
            .map { String(decoding: $0.file.bytes[$0.bytes], as: UTF8.self) }
    }

    var codes: [String] { problems.map(\.code.id) }
}
