import Foundation
import Support
import Testing
import WireBase
import WireGraphQL

/// What graphql-core makes of generated and mutated texts, compared with the parser and the printer.
@Suite("GraphQL parser compared with graphql-core", .timeLimit(.minutes(2)))
struct ParserOracleTests {
    struct Verdict: Decodable {
        let text: Data
        let tree: String?
    }

    @Test(
        "both reject the same texts, and give the same tree with the same locations for others",
        .enabled(if: Oracle.hasCore)
    )
    func agrees() throws {
        // A longer run: GRAPHQL_ORACLE='COUNT SEED'.
        let size = ProcessInfo.processInfo.environment["GRAPHQL_ORACLE"]?.split(separator: " ").map(String.init)
        let verdicts = try Oracle.lines(of: Verdict.self, "syntax.py", size ?? ["2000", "20"])
        try #require(verdicts.count >= 2000)
        var printed: [(text: String, tree: String)] = []
        for verdict in verdicts {
            let source = SourceFile(name: "a.graphql", bytes: Array(verdict.text))
            let document = Result { () throws(Finding) in try Parser.document(source) }
            let tree = (try? document.get()).map { SyntaxTree.text($0, places: true) }
            #expect(tree == verdict.tree, "\(String(decoding: verdict.text, as: UTF8.self)) \(document)")
            guard let document = try? document.get() else { continue }
            let executable = Syntax.Document(document.definitions.filter(\.isExecutable))
            guard !executable.definitions.isEmpty else { continue }
            printed.append((DocumentPrinter.text(executable, .pretty), SyntaxTree.text(executable, places: false)))
            let compact = DocumentPrinter.text(executable, .compact)
            printed.append((compact, SyntaxTree.text(try TestSchema.document(compact), places: false)))
            #expect(DocumentPrinter.text(try TestSchema.document(printed[printed.count - 2].text), .compact) == compact)
        }
        let input = try printed.map { try JSONEncoder().encode($0.text) }.reduce(into: Data()) {
            $0 += $1 + Data("\n".utf8)
        }
        let trees = try Oracle.lines(of: String?.self, "syntax.py", ["trees"], input: input)
        try #require(trees.count == printed.count)
        for (tree, printed) in zip(trees, printed) { #expect(tree == printed.tree, "\(printed.text)") }
    }
}
