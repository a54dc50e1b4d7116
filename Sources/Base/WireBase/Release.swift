import Synchronization

/// The version of corewire.
package enum Release {
    package static let version = "0.1.0"

    /// How the program was compiled.
    package static var configuration: String {
        #if DEBUG
        "debug"
        #else
        "release"
        #endif
    }

    /// What a program was built from and with.
    package struct Build: Sendable {
        /// The short hash of the commit; with '-dirty' where files differed from it.
        package var commit = "unknown"
        /// `Swift version 6.3.1`.
        package var compiler = "unknown"

        package init() {}
    }

    /// The build that runs; unknown where the program has not said so.
    package static var build: Build { current.withLock { $0 } }

    /// Says which build runs; a program calls this before anything else.
    ///
    /// Only programs know it: a module that knew it would be compiled again for each commit, with all that depend on it.
    package static func identify(commit: String, compiler: String) {
        current.withLock { ($0.commit, $0.compiler) = (commit, compiler) }
    }

    private static let current = Mutex(Build())
}
