import WireBase
package import WireConfig
package import WireGraphQL

/// The content of the GraphQL server's files: schema, and objects of its models or results of operations.
package struct GraphQLSeeds: Sendable {
    package let schema: ModelSchema
    package private(set) var objects: [GraphQLSeed] = []
    /// The results by operation name, for a schema without models.
    package private(set) var answers: [String: FixedAnswer] = [:]

    private static let schemaSize = ByteCount.mebibytes(4)
    private static let dataSize = ByteCount.mebibytes(16)

    /// Reads the files; reports all problems with their places.
    package static func read(
        schema path: String,
        data: String?,
        _ formats: [FileFormat],
        digest: ([UInt8]) throws -> String
    )
        throws -> (seeds: GraphQLSeeds?, problems: [Diagnostic])
    {
        do {
            let source = try TextDecoding.accept(try Files.read(path, upTo: schemaSize, onlyRegular: true), named: path)
            let (schema, findings) = ModelSchema.build(try Parser.document(source))
            guard let schema, findings.isEmpty else { return (nil, findings.map(Diagnostic.init(graphQL:))) }
            var seeds = Self(schema: schema)
            guard let data else { return (seeds, []) }
            let problems = try seeds.read(data, formats, digest)
            return (problems.isEmpty ? seeds : nil, problems)
        } catch let finding as Finding {
            return (nil, [Diagnostic(graphQL: finding)])
        } catch let unreadable as Unreadable {
            return (nil, [unreadable.problem])
        } catch let failure as Fault {
            return (nil, [Diagnostic(.badGraphQL, "\(path): \(failure.reason)", at: nil)])
        }
    }

    /// Returns all problems of the files; the data require a schema.
    package static func problems(schema path: String, data: String?, _ formats: [FileFormat]) -> [Diagnostic] {
        (try? read(schema: path, data: data, formats) { Hexadecimal.text(of: Array($0.prefix(8))) })?.problems ?? []
    }

    /// Returns a digest that changes with any of the files.
    package static func digest(schema path: String, data: String?, by digest: ([UInt8]) throws -> String) rethrows
        -> String
    {
        let parts = try [path, data].compactMap { $0 }.map { path in
            let bytes = try? Files.read(path, upTo: Self.dataSize, onlyRegular: true)
            return "\(path) \(try bytes.map(digest) ?? "unreadable")"
        }
        return try digest(Array(parts.joined(separator: "\n").utf8))
    }

    private init(schema: ModelSchema) { self.schema = schema }

    private mutating func read(_ path: String, _ formats: [FileFormat], _ digest: ([UInt8]) throws -> String) throws
        -> [Diagnostic]
    {
        let ending = path.split(separator: ".").last.map { $0.lowercased() } ?? ""
        guard let format = formats.first(where: { $0.extensions.contains(ending) }) else {
            let known = formats.flatMap(\.extensions).map { ".\($0)" }.listed()
            return [Diagnostic(.badGraphQL, "\(path): found '.\(ending)', expected \(known)", at: nil)]
        }
        let bytes: [UInt8]
        do throws(Fault) {
            bytes = try Files.read(path, upTo: Self.dataSize, onlyRegular: true)
        } catch {
            return [Diagnostic(.badGraphQL, "\(path): \(error.reason)", at: nil)]
        }
        let source = try TextDecoding.accept(bytes, named: path)
        var builder = DocumentBuilder(source: source, into: Document(), limits: ReadingLimits())
        try format.read(&builder, source)
        let (document, root, problems) = builder.finish()
        guard let root, problems.isEmpty else { return problems }
        var reading = GraphQLSeedReading(document, schema)
        reading.read(root)
        objects = reading.objects
        for index in objects.indices {
            objects[index].digest = String(try digest(Array(objects[index].values.text().utf8)).prefix(16))
        }
        answers = reading.answers
        return reading.problems
    }
}

/// An object of a file.
package struct GraphQLSeed: Sendable {
    package let type: String
    package let id: String
    package let values: JSONValue
    package var digest = ""
}

/// The result of an operation.
package struct FixedAnswer: Sendable {
    /// The result of a query or mutation.
    package var result: JSONValue?
    /// The results of a subscription.
    package var events: [JSONValue] = []

    package init() {}
}

extension Diagnostic {
    /// A problem of a GraphQL file.
    package init(graphQL finding: Finding) {
        let diagnostic = Diagnostic(.badGraphQL, finding.message, at: finding.place).helped(by: finding.help)
        self = finding.related.reduce(diagnostic) { $0.related($1.place, $1.text) }
    }
}
