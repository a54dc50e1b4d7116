import WireBackends
import WireBase
package import WireConfig
import WireSync

/// The further files that sections read when their settings are applied: a changed file counts as a changed setting.
package struct FilesBeside {
    private let configuration: Configuration
    private let file: String

    /// Paths are relative to the given services file.
    package init(_ configuration: Configuration, of file: String) {
        (self.configuration, self.file) = (configuration, file)
    }

    /// Digests of the files, by the settings that name them.
    package func digests(by digest: ([UInt8]) throws -> String) rethrows -> [String: String] {
        var digests: [String: String] = [:]
        if configuration.facts.backend == .embedded, let backends = configuration[BackendsSection.self] {
            if let folder = backends.content.directory {
                digests["backends.content.directory"] =
                    try ContentSeeds.digest(of: path(folder.path), Shipped.loader.formats, by: digest)
            }
            if let schema = backends.graphql.schema {
                let data = backends.graphql.data.map { path($0.path) }
                digests["backends.graphql.schema"] =
                    try GraphQLSeeds.digest(schema: path(schema.path), data: data, by: digest)
            }
        }
        if let sync = configuration[SyncSection.self] {
            if let schema = sync.schema { digests["sync.schema"] = try self.digest([path(schema.path)], by: digest) }
            if let operations = sync.operations {
                let paths = operations.patterns.flatMap { FilePattern($0.pattern, beside: file).matches() }
                digests["sync.operations"] = try self.digest(paths, by: digest)
            }
        }
        return digests
    }

    private func path(_ path: String) -> String { Files.path(path, beside: file) }

    private func digest(_ paths: [String], by digest: ([UInt8]) throws -> String) rethrows -> String {
        let parts = try paths.map { path in
            let bytes = try? Files.read(path, upTo: SyncDocuments.largestFile, onlyRegular: true)
            return "\(path) \(try bytes.map(digest) ?? "unreadable")"
        }
        return try digest(Array(parts.joined(separator: "\n").utf8))
    }
}
