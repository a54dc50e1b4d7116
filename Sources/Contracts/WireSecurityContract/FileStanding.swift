package import WireBase
import WireConfig
package import WireService

/// What can be said of the services file that runs, as something on a disk that somebody may have written to.
package struct FileStanding: Sendable {
    /// A setting with its place.
    package struct Setting: Sendable, Equatable {
        /// What it is, in words.
        package let text: String
        package let origin: ValueOrigin?

        package init(_ text: String, origin: ValueOrigin?) {
            (self.text, self.origin) = (text, origin)
        }
    }

    /// The file and those it includes; the first is the services file itself.
    package let files: [String]
    /// The folder of the store.
    package let state: String
    /// The secrets that stand in it as they are, instead of a reference to where they are kept.
    package let secretsInClear: [Setting]
    /// What it allows that is weaker than it need be.
    package let weakSettings: [Setting]

    package init(files: [String], state: String, secretsInClear: [Setting], weakSettings: [Setting]) {
        (self.files, self.state) = (files, state)
        (self.secretsInClear, self.weakSettings) = (secretsInClear, weakSettings)
    }
}

/// Tells how the services file of the generation that is asked about stands.
package struct FileStandings: Sendable {
    /// The file as it is taken to run.
    package let standing: @Sendable () -> FileStanding

    package init(_ standing: @escaping @Sendable () -> FileStanding) {
        self.standing = standing
    }
}

extension Ability where Value == FileStandings {
    package static var fileStandings: Ability<FileStandings> { Ability<FileStandings>(Provision(.runner, "file")) }
}
