import WireBase
import WireConfig
import WireGraphQL
import WireSync

/// The problems of the GraphQL files that the section `sync` names, each at its place in the file.
struct GraphQLChecks {
    let documents: SyncDocuments
    private let needs: [LocalNeed]
    private let folder: String

    init?(_ judged: Judge.Judged, _ validation: Validation) {
        guard let settings = judged.configuration[SyncSection.self] else { return nil }
        let name = validation.name
        documents = SyncDocuments(settings) { Files.path($0, beside: name) }
        needs = judged.localNeeds.filter { $0.path.hasPrefix("sync.") }
        folder = name
    }

    var problems: [Diagnostic] { documents.findings.map { problem($0) } }

    private func problem(_ finding: Finding) -> Diagnostic {
        var named: LocalNeed?
        if let place = finding.place { named = need(of: place.file) }
        var problem = Diagnostic(documents.code(of: finding), finding.message, at: finding.place ?? named?.place)
        for related in finding.related { problem = problem.related(related.place, related.text) }
        problem = problem.related(named?.place, "the file is named here")
        if let help = finding.help { problem = problem.helped(by: Advice(help)) }
        return problem.about(named?.path ?? "sync")
    }

    /// The value of the services file that names a file.
    private func need(of file: SourceFile) -> LocalNeed? {
        needs.first { need in
            switch need.kind {
            case .filesMatching: FilePattern(need.name, beside: folder).matches().contains(file.name)
            default: Files.path(need.name, beside: folder) == file.name
            }
        }
    }
}
