import WireBase
package import WireConfig
package import WireGraphQL
import WireSync
package import WireSyncContract

/// The schema and the operations of the files that the section `sync` of one environment names.
package struct SyncFiles {
    private let checks: GraphQLChecks
    /// The path of the schema file as a program opens it; nil where the section names none.
    package let schemaPath: String?

    /// Nil where the environment has no section `sync`.
    package init?(_ judged: Judge.Judged, _ validation: Validation) {
        guard let checks = GraphQLChecks(judged, validation) else { return nil }
        self.checks = checks
        schemaPath = judged.configuration[SyncSection.self]?.schema.map {
            Files.path($0.path, beside: validation.name)
        }
    }

    /// Nil where the file is missing or not valid.
    package var schema: Schema? { checks.documents.schema }
    package var declared: DeclaredOperations { checks.documents.operations }
    /// The declared operations, by name.
    package var operations: [SyncOperation] { checks.documents.described }
    /// What is wrong with the files.
    package var problems: [Diagnostic] { checks.problems }
}
