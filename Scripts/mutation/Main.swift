import Foundation
import SwiftOperators
import SwiftParser
import SwiftSyntax

/// Prints every change that can be made to Swift files, one JSON object a line: the paths of the files are the arguments.
@main
enum Main {
    static func main() throws {
        let files = try CommandLine.arguments.dropFirst().map { path in
            (path, Parser.parse(source: try String(contentsOfFile: path, encoding: .utf8)))
        }
        let operators = table(of: files.map(\.1))
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        for (path, tree) in files {
            let folded = operators.foldAll(tree) { _ in }
            guard let file = folded.as(SourceFileSyntax.self) else { continue }
            for place in PlaceFinder.places(in: file, path: path) {
                print(String(decoding: try encoder.encode(place), as: UTF8.self))
            }
        }
    }

    /// What binds how tightly, the operators of the files themselves included.
    private static func table(of files: [SourceFileSyntax]) -> OperatorTable {
        var table = OperatorTable.standardOperators
        for file in files { table.addSourceFile(file) { _ in } }
        return table
    }
}
