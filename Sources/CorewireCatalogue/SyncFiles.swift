import WireBase
package import WireConfig
package import WireGraphQL
import WireSync
package import WireSyncContract

/// The schema and the operations in the files of the section `sync` of an environment.
package struct SyncFiles {
    private let checks: GraphQLChecks
    /// The path of the schema file; nil where the section names none.
    package let schemaPath: String?

    /// Fails where the environment has no section `sync`.
    package init?(_ validated: FileValidator.ValidatedEnvironment, _ validation: Validation) {
        guard let checks = GraphQLChecks(validated, validation) else { return nil }
        self.checks = checks
        schemaPath = validated.configuration[SyncSection.self]?.schema.map {
            Files.path($0.path, beside: validation.name)
        }
    }

    /// The schema; nil where its file is missing or invalid.
    package var schema: Schema? { checks.documents.schema }
    package var declared: DeclaredOperations { checks.documents.operations }
    /// The declared operations, by name.
    package var operations: [SyncOperation] { checks.documents.described }
    /// The problems of the files.
    package var problems: [Diagnostic] { checks.problems }
}
