import WireBase
package import WireConfig
import WireGraphQL
import WireNotifications
package import WireSync

/// Checks the GraphQL files of the section `sync`; reports problems at their locations in these files.
package struct GraphQLChecks {
    package let documents: SyncDocuments
    private let files: NamedFiles
    private let settings: SyncSection
    private let document: Document?
    private let hasNotifications: Bool

    package init?(_ validated: FileValidator.ValidatedEnvironment, _ validation: Validation) {
        guard let settings = validated.configuration[SyncSection.self] else { return nil }
        let name = validation.name
        documents = SyncDocuments(settings) { Files.path($0, beside: name) }
        files = NamedFiles(validated, of: name)
        (self.settings, document) = (settings, validation.file?.document)
        hasNotifications = validated.configuration[NotificationsSection.self] != nil
    }

    package var problems: [Diagnostic] {
        documents.findings.map { finding in
            let named = finding.place.flatMap { files.need(of: $0.file) }
            var problem = Diagnostic(documents.code(of: finding), finding.message, at: finding.place ?? named?.place)
            for related in finding.related { problem = problem.related(related.place, related.text) }
            problem = problem.related(named?.place, "the file is named here")
            if let help = finding.help { problem = problem.helped(by: Advice(help)) }
            return problem.about(named?.path ?? "sync")
        } + uses
    }

    /// Reports unknown operations in the section, and notifications without handlers.
    private var uses: [Diagnostic] {
        let unheard = hasNotifications ? [] : settings.subscriptions.items.compactMap(unheard)
        return documents.uses(in: settings).map { use in
            Diagnostic(.operationUse, use.message, at: place(use.place)).helped(by: use.help).about(use.path)
        } + unheard
    }

    private func unheard(_ item: Named<DeclaredSubscription>.Item) -> Diagnostic? {
        guard item.value.$notification.isWritten else { return nil }
        let path = "sync.subscriptions.\(item.name).notification"
        return Diagnostic(
            .operationUse,
            "\(path): add the section 'notifications', whose handlers receive it",
            at: place(item.value.$notification)
        )
        .about(path)
    }

    private func place(_ place: Place) -> SourceRange? {
        place.node.flatMap { node in document.map { $0.place($0.target(node)) } }
    }
}

/// Finds the services file value that names a GraphQL file.
struct NamedFiles: Sendable {
    private let needs: [LocalNeed]
    private let name: String

    init(_ validated: FileValidator.ValidatedEnvironment, of name: String) {
        needs = validated.localNeeds.filter { $0.path.hasPrefix("sync.") }
        self.name = name
    }

    func need(of file: SourceFile) -> LocalNeed? {
        needs.first { need in
            switch need.kind {
            case .filesMatching: FilePattern(need.name, beside: name).matches().contains(file.name)
            default: Files.path(need.name, beside: name) == file.name
            }
        }
    }
}
