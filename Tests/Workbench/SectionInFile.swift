import CorewireCatalogue
package import WireConfig

/// A section as a file has it, read the way every file is.
package struct SectionInFile<Settings: Section>: Sendable {
    package let settings: Settings
    package let document: Document
    package let configuration: Configuration
    /// What was found that is no error.
    package let warnings: [String]

    /// The whole text of a file, which is called `file.yaml`; throws what is wrong with it.
    package init(file text: String, environment: String? = nil) throws(Unread) {
        let validation = Validation(bytes: Array(text.utf8), name: "file.yaml")
        guard let judged = validation.environment(environment), let file = validation.file,
            judged.configuration.has(Settings.self), !validation.result.problems.hasErrors
        else { throw Unread(text: validation.result.problems.messages.joined(separator: "\n")) }
        // As a runner reads it.
        let (configuration, _) = validation.resolved(judged, of: file, by: ReferenceResolver(beside: "file.yaml"))
        guard let settings = configuration[Settings.self] else { throw Unread(text: "a reference has no value") }
        (self.settings, document, self.configuration) = (settings, file.document, configuration)
        warnings = validation.result.problems.messages
    }

    package var facts: EnvironmentFacts { configuration.facts }
    package var app: AppSection? { configuration[AppSection.self] }

    /// The section alone, as the lines under its name: the first of them is line 4 of the file.
    package init(_ section: String) throws(Unread) {
        let indented = section.split(separator: "\n").map { "  \($0)\n" }.joined()
        try self.init(file: "version: 1\napp: { id: com.example.tasks }\n\(Settings.name):\n\(indented)")
    }
}

/// A file that is not what its test takes it for.
package struct Unread: Error {
    package let text: String
}
