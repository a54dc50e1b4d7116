import WireBase
package import WireConfig
import WireSecrets

/// The content of seed files: modules with their instances.
package struct ContentSeeds: Sendable {
    package private(set) var modules: [HaloModule] = []
    package private(set) var instances: [SeededInstance] = []

    package static let none = ContentSeeds()

    private init() {}

    /// The largest size of a file, and the largest number of files.
    private static let size = ByteCount.mebibytes(16)
    private static let count = 1_000

    /// Reads the files of a folder; reports all problems with their places.
    package static func read(
        _ folder: String,
        _ formats: [FileFormat],
        digest: ([UInt8]) throws -> String
    ) throws -> (seeds: ContentSeeds, problems: [Diagnostic]) {
        var readings: [SeedReading] = []
        var problems: [Diagnostic] = []
        for (path, stem, format) in files(of: folder, formats) {
            do {
                let bytes = try bytes(of: path)
                let source = try TextDecoding.accept(bytes, named: path)
                var builder = DocumentBuilder(source: source, into: Document(), limits: ReadingLimits())
                try format.read(&builder, source)
                let (document, root, found) = builder.finish()
                problems += found
                guard let root else { continue }
                var reading = SeedReading(document, stem)
                reading.read(root)
                readings.append(reading)
            } catch let unreadable as Unreadable {
                problems.append(unreadable.problem)
            } catch let failure as Fault {
                problems.append(Diagnostic(.badContent, "\(path): \(failure.reason)", at: nil))
            }
        }
        var seeds = ContentSeeds()
        try seeds.take(&readings, digest)
        problems += readings.flatMap(\.problems)
        return (seeds, problems)
    }

    /// Returns all problems of the files of a folder.
    package static func problems(in folder: String, _ formats: [FileFormat]) -> [Diagnostic] {
        // Nothing is stored, so identifiers need not be right.
        (try? read(folder, formats) { Hexadecimal.text(of: $0) })?.problems ?? []
    }

    /// Returns a digest that changes with any of the files.
    package static func digest(
        of folder: String,
        _ formats: [FileFormat],
        by digest: ([UInt8]) throws -> String
    ) rethrows -> String {
        let parts = try files(of: folder, formats).map { path, _, _ in
            "\(path) \(try (try? bytes(of: path)).map(digest) ?? "unreadable")"
        }
        return try digest(Array(parts.joined(separator: "\n").utf8))
    }

    private static func files(of folder: String, _ formats: [FileFormat])
        -> [(path: String, stem: String, format: FileFormat)]
    {
        Files.names(in: folder).prefix(count).compactMap { name in
            let path = "\(folder)/\(name)"
            guard let (stem, format) = format(of: name, formats), !Files.isFolder(path) else { return nil }
            return (path, stem, format)
        }
    }

    private static func bytes(of path: String) throws -> [UInt8] {
        try Files.read(path, upTo: size, onlyRegular: true)
    }

    private static func format(of name: String, _ formats: [FileFormat]) -> (stem: String, format: FileFormat)? {
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex, !name.hasPrefix(".") else { return nil }
        let ending = name[name.index(after: dot)...].lowercased()
        return formats.first { $0.extensions.contains(ending) }.map { (String(name[..<dot]), $0) }
    }

    /// Combines the files: assigns identifiers, and resolves references between instances.
    private mutating func take(_ readings: inout [SeedReading], _ digest: ([UInt8]) throws -> String) throws {
        func id(_ text: String) throws -> String { String(try digest(Array(text.utf8)).prefix(24)) }
        var ids: [String: [String: String]] = [:]
        for index in readings.indices {
            let name = readings[index].name
            guard ids[name] == nil else {
                readings[index].report("another file already contains the module \(name.quoted)", at: nil)
                continue
            }
            var known: [String: String] = [:]
            for instance in readings[index].instances {
                known[instance.key] = try instance.id ?? id("instance/\(name)/\(instance.key)")
            }
            ids[name] = known
        }
        for index in readings.indices {
            let reading = readings[index]
            var module = HaloModule(id: try reading.id ?? id("module/\(reading.name)"), name: reading.name)
            (module.isSingle, module.tags, module.fields) = (reading.isSingle, reading.tags, reading.fields)
            let said = reading.fields.map { "\($0.name) \($0.type) \($0.isLocalized) \($0.related ?? "")" }
            module.seed = try digest(
                Array("\(reading.isSingle) \(said) \(JSONValue.array(reading.tags.map(\.json)).text())".utf8)
            )
            modules.append(module)
            for instance in reading.instances {
                var seed = SeededInstance(id: ids[reading.name]?[instance.key] ?? "", module: module.id, instance)
                seed.values = readings[index].resolved(instance, among: ids)
                seed.digest = try digest(Array(seed.said.utf8))
                instances.append(seed)
            }
        }
    }
}

/// An instance of a file.
package struct SeededInstance: Sendable {
    package let id: String
    package let module: String
    package let name: String
    package var values: JSONValue
    package let tags: [HaloTag]
    package let created: Int64?
    package let published: Int64?
    package let removed: Int64?
    package let archived: Int64?
    package var digest = ""

    init(id: String, module: String, _ read: SeedReading.Instance) {
        (self.id, self.module, name, values, tags) = (id, module, read.name, read.values, read.tags)
        (created, published) = (read.created, read.published)
        (removed, archived) = (read.removed, read.archived)
    }

    /// The whole instance as a text, which changes with the file.
    package var said: String {
        JSONValue.array([
            .string(name), values, .array(tags.map(\.json)), .moment(created), .moment(published), .moment(removed),
            .moment(archived),
        ]).text()
    }
}
