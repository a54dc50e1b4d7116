import WireBase
import WireConfig
import WireGraphQL
import WireHTTP
import WireService

/// Asks a GraphQL server for its schema without a token, and checks the declared operations against it.
struct SchemaQuestion: Sendable {
    let section: SyncSection
    let address: WebURL

    private static let largestAnswer = ByteCount.mebibytes(16)
    /// The number of changes named in a warning.
    private static let namedChanges = 5

    func ask(_ means: OnlineMeans) async -> [OnlineFinding] {
        do throws(NoAnswer) {
            switch try await AskedSchema.ask({ request throws(NoAnswer) in try await send(request, means.client) }) {
            case .schema(let schema): return findings(against: schema, means)
            case .refused(let complaint):
                return [notGiven("the server does not return its schema", complaint)]
            case .invalid(let finding):
                return [at(.noGraphQLServer, "the schema of the server is not valid: \(finding.message)")]
            }
        } catch {
            return error.finding.map { [$0] } ?? []
        }
    }

    // MARK: Asking

    private struct NoAnswer: Error {
        /// Nil where the problem is reported at another value.
        let finding: OnlineFinding?
    }

    private func send(_ question: GraphQLRequest, _ client: any HTTPClient) async throws(NoAnswer) -> ServerResponse {
        var request = OutgoingRequest(.post, "\(address)")
        request.fields["Accept"] = ResponseForm.graphQLResponse.mediaType + ", " + ResponseForm.json.mediaType
        request.fields["Content-Type"] = "application/json"
        request.body = .bytes(question.json.bytes())
        // The file check decides about plain HTTP; nothing secret is sent.
        request.allowsPlainText = true
        let (status, bytes) = try await answer(to: request, client)
        let json = try? JSONValue(parsing: bytes, named: "answer", limits: .graphQLAnswer, exactNumbers: true)
        if let response = json.flatMap(ServerResponse.init) { return response }
        if [401, 403].contains(status.code) {
            throw NoAnswer(finding: notGiven("the server responded with status \(status.code) \(status.phrase)", nil))
        }
        throw NoAnswer(
            finding: at(.noGraphQLServer, "the server responded with status \(status.code) without a GraphQL response")
        )
    }

    private func answer(to request: OutgoingRequest, _ client: any HTTPClient) async throws(NoAnswer)
        -> (status: Status, bytes: [UInt8])
    {
        do {
            let response = try await client.send(request)
            return (response.status, try await response.body.collect(upTo: Self.largestAnswer))
        } catch let failure as TransferFailure {
            // Problems of a server below the base URL are reported there.
            guard section.url.absolute != nil || address.scheme != "https" else { throw NoAnswer(finding: nil) }
            let isTrust = failure.kind == .tls || failure.kind == .pin
            throw NoAnswer(
                finding: .unreached(at: section.$url, about: "sync.url", failure.reason, isTrust: isTrust)
            )
        } catch {
            throw NoAnswer(finding: at(.noGraphQLServer, "the response exceeds \(Self.largestAnswer)"))
        }
    }

    private func at(_ code: Code, _ message: String, help: Advice? = nil) -> OnlineFinding {
        OnlineFinding(code, at: section.$url, about: "sync.url", "sync.url: \(message)", help: help)
    }

    private func notGiven(_ message: String, _ complaint: String?) -> OnlineFinding {
        at(
            .schemaNotGiven,
            message + (complaint.map { ": \($0.shown(upTo: 200))" } ?? ""),
            help: "run 'corewire sync schema' to fetch the schema with the token of the runner"
        )
    }

    // MARK: Judging

    private func findings(against schema: Schema, _ means: OnlineMeans) -> [OnlineFinding] {
        let documents = SyncDocuments(section, path: means.path)
        let rejected = documents.operations.findings(against: schema).filter { $0.rule != .noUnusedFragments }
        return rejected.map(self.rejected) + (documents.schema.flatMap { outdated($0, schema) }.map { [$0] } ?? [])
    }

    private func rejected(_ finding: Finding) -> OnlineFinding {
        var rejected = OnlineFinding(
            .rejectedOperation,
            at: section.$operations,
            about: "sync.operations",
            finding.message,
            help: finding.help.map { Advice($0) }
        )
        rejected.spot = finding.place
        rejected.related = finding.related.map { ($0.place, $0.text) }
        return rejected
    }

    private func outdated(_ file: Schema, _ server: Schema) -> OnlineFinding? {
        let breaking = SchemaChanges.between(file, server).filter { $0.severity == .breaking }
        guard !breaking.isEmpty else { return nil }
        let named = breaking.prefix(Self.namedChanges).map(\.message).joined(separator: "; ")
        let count = breaking.count == 1 ? "1 breaking change" : "\(breaking.count) breaking changes"
        return OnlineFinding(
            .outdatedSchema,
            at: section.$schema,
            about: "sync.schema",
            "sync.schema: the server's schema has \(count) against the file: \(named)"
                + (breaking.count > Self.namedChanges ? "; …" : ""),
            help: "run 'corewire sync schema' to write the schema of the server"
        )
    }
}
