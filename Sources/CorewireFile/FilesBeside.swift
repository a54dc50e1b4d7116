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

    /// The setting that names them.
    package static let setting = "\(BackendsSection.name).content.directory"

    /// What the files hold, in a few letters; nil where none are read.
    package func digest(by digest: ([UInt8]) throws -> String) rethrows -> String? {
        guard configuration.facts.backend == .embedded,
            let folder = configuration[BackendsSection.self]?.content.directory
        else { return nil }
        return try ContentSeeds.digest(of: Files.path(folder.path, beside: file), Shipped.loader.formats, by: digest)
    }
}
