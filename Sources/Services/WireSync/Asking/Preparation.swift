import Synchronization
import WireBase
import WireConfig
import WireGraphQL
import WireHTTP
import WireSyncContract

/// Prepares operations: declared ones from their files, and callers' documents, each parsed and validated once.
final class Preparation: Sendable {
    let documents: SyncDocuments
    private let onlyDeclared: Bool
    /// Prepared declared operations by name.
    private let ready = Mutex<[String: PreparedOperation]>([:])
    /// Prepared operations of callers by name and text; a syntax tree is much larger than its text.
    private let known = Mutex(RecentlyUsed<PreparedOperation>(entries: 256, size: 64 * 1_024 * 1_024))
    private static let treeOfText = 50

    init(_ documents: SyncDocuments, only: AcceptedDocuments) {
        self.documents = documents
        onlyDeclared = only == .declared
    }

    /// The declared operation with a name.
    func declared(_ name: String) throws(SyncFailure) -> PreparedOperation {
        guard let operation = documents.operations[name] else {
            let nearest = Nearest.name(to: name, among: documents.operations.names)
            throw SyncFailure(
                .unknownOperation,
                "unknown operation \(name.shown(upTo: 64).quoted)",
                help: nearest.map { "did you mean '\($0)'?" }
                    ?? "run 'corewire sync operations' to list the declared operations"
            )
        }
        return prepared(operation)
    }

    /// An operation that was prepared before; nil while another one is being prepared.
    func ready(_ name: String?, document text: String?) -> PreparedOperation? {
        switch (name, text) {
        case (let name?, nil): ready.withLockIfAvailable { $0[name] } ?? nil
        case (let name, let text?): known.withLock { $0[Self.key(text, operation: name)] }
        case (nil, nil): nil
        }
    }

    /// A declared operation is prepared once, at its first use.
    private func prepared(_ declared: DeclaredOperation) -> PreparedOperation {
        ready.withLock { ready in
            if let known = ready[declared.name] { return known }
            let made = PreparedOperation(declared)
            ready[declared.name] = made
            return made
        }
    }

    /// An operation of a document: the named one, or its only one.
    func document(_ text: String, operation name: String?) throws(DocumentRefusal) -> PreparedOperation {
        let key = Self.key(text, operation: name)
        if let known = known.withLock({ $0[key] }) { return known }
        let prepared = try prepare(text, operation: name)
        known.withLock { $0.keep(prepared, under: key, size: text.utf8.count * Self.treeOfText) }
        return prepared
    }

    private static func key(_ text: String, operation name: String?) -> String { "\(name ?? "") \(text)" }

    /// Removes callers' documents, whose literals are user data.
    func forget() { known.withLock { $0.removeAll() } }

    private func prepare(_ text: String, operation name: String?) throws(DocumentRefusal) -> PreparedOperation {
        let document = try parsed(text)
        let operation = try DocumentRefusal.rethrowing(try Executor.operation(name, of: document))
        let prepared = PreparedOperation(operation, in: document)
        // A declared operation that a library sends as a document is the declared one.
        if let name = operation.name?.text, let declared = documents.operations[name],
            declared.text == prepared.text
        {
            return self.prepared(declared)
        }
        guard !onlyDeclared else {
            throw DocumentRefusal(
                .notDeclared,
                [Finding(.operationName, "the document is not one of the declared operations", at: operation.place)]
            )
        }
        return prepared
    }

    /// The operation of a document that was accepted before, also under present stricter rules.
    func kept(_ text: String, operation name: String?) throws(Finding) -> PreparedOperation {
        let source = SourceFile(name: "document", bytes: Array(text.utf8), isFile: false)
        let document = try Parser.document(source, limits: .request)
        return PreparedOperation(try Executor.operation(name, of: document), in: document)
    }

    private func parsed(_ text: String) throws(DocumentRefusal) -> Syntax.Document {
        let document = try DocumentRefusal.rethrowing(
            try Parser.document(
                SourceFile(name: "document", bytes: Array(text.utf8), isFile: false),
                limits: .request
            )
        )
        let findings = check(document)
        guard findings.isEmpty else { throw DocumentRefusal(.invalidDocument, findings) }
        return document
    }

    private func check(_ document: Syntax.Document) -> [Finding] {
        if let limit = document.operations.lazy.compactMap({ RequestLimits().finding(of: $0, in: document) }).first {
            return [limit]
        }
        return documents.schema.map { Validator.findings(in: document, against: $0, limits: .request) }
            ?? Validator.findings(in: document, limits: .request)
    }
}

/// Why a caller's document is not executed.
struct DocumentRefusal: WrappingError {
    let kind: SyncFailureKind
    let findings: [Finding]

    init(_ kind: SyncFailureKind, _ findings: [Finding]) { (self.kind, self.findings) = (kind, findings) }
    init(_ finding: Finding) { self.init(.invalidDocument, [finding]) }
}

extension SyncFailure {
    init(_ refusal: DocumentRefusal) {
        let first = refusal.findings.first
        let place = first?.place?.start
        let reason = first?.message ?? "the document is not valid"
        self.init(refusal.kind, place.map { "\($0.line):\($0.column): \(reason)" } ?? reason, help: first?.help)
    }
}
