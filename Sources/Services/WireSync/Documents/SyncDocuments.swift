package import WireBase
package import WireConfig
package import WireGraphQL

/// The schema and the operations in the files of the section, and the problems with them.
///
/// `validate-config` reports the findings; the service reads the same files when it is prepared.
package struct SyncDocuments: Sendable {
    package let schema: Schema?
    package let operations: DeclaredOperations
    package let findings: [Finding]
    private let schemaFile: SourceFile?

    /// The maximum size of a file.
    package static let largestFile = ByteCount.mebibytes(16)

    /// Reads the files of the section; the closure makes a path of the file absolute.
    package init(_ settings: SyncSection, path: (String) -> String) {
        var reading = Reading()
        let schema = settings.schema.flatMap { reading.schema(path($0.path)) }
        let paths = settings.operations?.patterns.flatMap { FilePattern(path: path($0.pattern)).matches() } ?? []
        let documents = Array(Set(paths)).sorted().compactMap { reading.document($0) }
        let operations = DeclaredOperations(documents)
        (self.schema, self.operations) = (schema, operations)
        schemaFile = reading.schemaFile
        // Without its schema the selections of an operation cannot be checked.
        findings = reading.findings + operations.findings(against: schema) + Self.nesting(of: operations)
    }

    /// Finds operations whose depth would need an unbounded stack.
    private static func nesting(of operations: DeclaredOperations) -> [Finding] {
        let most = 1_000_000
        let limits = RequestLimits(depth: 100, fields: most, rootFields: most, aliases: most, directives: most)
        let findings = operations.names.compactMap { name in
            operations[name].flatMap { limits.finding(of: $0.operation, in: $0.document) }
        }
        // The rules about names report cycles too.
        return findings.filter { $0.rule == .limits }
    }

    /// What the problem is called in reports.
    package func code(of finding: Finding) -> Code {
        if finding.rule == .noUnusedFragments { return .unusedFragment }
        return schemaFile != nil && finding.place?.file === schemaFile ? .invalidSchema : .invalidOperation
    }

    /// Reads files one after the other and collects their problems.
    private struct Reading {
        var findings: [Finding] = []
        var schemaFile: SourceFile?

        mutating func document(_ path: String) -> Syntax.Document? {
            guard let file = file(path) else { return nil }
            do throws(Finding) {
                return try Parser.document(file)
            } catch {
                findings.append(error)
                return nil
            }
        }

        mutating func schema(_ path: String) -> Schema? {
            guard let file = file(path) else { return nil }
            schemaFile = file
            do throws(Finding) {
                if file.bytes.first(where: { !" \t\r\n".utf8.contains($0) }) == UInt8(ascii: "{") {
                    return try Schema(introspection: try Self.json(file))
                }
                let (schema, found) = SchemaBuilder.build([try Parser.document(file)])
                findings += found
                return schema
            } catch {
                findings.append(error)
                return nil
            }
        }

        private static func json(_ file: SourceFile) throws(Finding) -> JSONValue {
            do throws(Unreadable) {
                return try JSONValue(parsing: file.bytes, named: file.name)
            } catch {
                throw Finding(.syntax, error.problem.message, at: error.problem.place)
            }
        }

        /// Nil where the file cannot be read, which is reported at its path in the section.
        private func file(_ path: String) -> SourceFile? {
            guard let bytes = try? Files.read(path, upTo: largestFile, onlyRegular: true) else { return nil }
            return SourceFile(name: path, bytes: bytes)
        }
    }
}
