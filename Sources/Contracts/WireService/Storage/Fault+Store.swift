package import WireBase
package import WireHTTP
package import WireStore

extension Fault: WrappingError {
    package init(_ failure: StoreFailure) { self.init(failure.reason, help: failure.help) }

    package init<Kind: FailureKind>(_ failure: APIFailure<Kind>) {
        self.init(failure.reason, help: failure.help, origin: failure.origin)
    }

    /// Throws as a fault what an operation of another area fails with.
    package static func wrapping<Kind: FailureKind, Answer>(
        _ work: () async throws(APIFailure<Kind>) -> Answer
    ) async throws(Fault) -> Answer {
        do throws(APIFailure<Kind>) { return try await work() } catch { throw Fault(error) }
    }
}

/// The kinds of failures of an area that keeps something in the store.
package protocol KeptFailureKind: FailureKind {
    init(_ failure: StoreFailure)
}

extension APIFailure: WrappingError where Kind: KeptFailureKind {
    /// The store does not take it, or cannot be read.
    package init(_ failure: StoreFailure) {
        self.init(Kind(failure), failure.reason, help: failure.help)
    }
}
