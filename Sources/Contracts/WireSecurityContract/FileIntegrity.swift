package import WireBase
import WireConfig
package import WireService

/// Facts about the running services file, for security rules about files.
package struct FileIntegrity: Sendable {
    /// A setting with its location.
    package struct Setting: Sendable, Equatable {
        /// The description of the setting.
        package let text: String
        package let origin: ValueOrigin?

        package init(_ text: String, origin: ValueOrigin?) {
            (self.text, self.origin) = (text, origin)
        }
    }

    /// The services file, followed by included files.
    package let files: [String]
    /// The folder of the store.
    package let state: String
    /// The secrets written in clear instead of as references.
    package let secretsInClear: [Setting]
    /// The settings that weaken security.
    package let weakSettings: [Setting]

    package init(files: [String], state: String, secretsInClear: [Setting], weakSettings: [Setting]) {
        (self.files, self.state) = (files, state)
        (self.secretsInClear, self.weakSettings) = (secretsInClear, weakSettings)
    }
}

/// Provides the facts for the current generation.
package struct FileIntegrityReader: Sendable {
    /// Returns the facts for the running file.
    package let integrity: @Sendable () -> FileIntegrity

    package init(_ integrity: @escaping @Sendable () -> FileIntegrity) {
        self.integrity = integrity
    }
}

extension Ability where Value == FileIntegrityReader {
    package static var fileIntegrity: Ability<FileIntegrityReader> {
        Ability<FileIntegrityReader>(Provision(.runner, "file"))
    }
}
