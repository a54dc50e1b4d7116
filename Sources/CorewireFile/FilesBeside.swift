import WireBackends
import WireBase
package import WireConfig

/// What sections read of files when they take their settings over: where it changes, the settings have changed.
package struct FilesBeside {
    private let configuration: Configuration
    private let file: String

    /// For a services file, which paths are relative to.
    package init(_ configuration: Configuration, of file: String) {
        (self.configuration, self.file) = (configuration, file)
    }

    /// What the files of a section hold, in a few letters; nil where it reads none.
    package func digest(of section: String, by digest: ([UInt8]) throws -> String) rethrows -> String? {
        guard section == BackendsSection.name, configuration.facts.backend == .embedded,
            let folder = configuration[BackendsSection.self]?.content.directory
        else { return nil }
        return try ContentSeeds.digest(of: Files.path(folder.path, beside: file), Shipped.loader.formats, by: digest)
    }
}
