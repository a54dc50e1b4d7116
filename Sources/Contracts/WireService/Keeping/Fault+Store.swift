package import WireStore

extension Fault {
    package init(_ failure: StoreFailure) { self.init(failure.reason, help: failure.help) }

    /// Throws as a fault what goes wrong at the store.
    package static func wrapping<Answer>(_ work: () throws(StoreFailure) -> Answer) throws(Fault) -> Answer {
        do throws(StoreFailure) { return try work() } catch { throw Fault(error) }
    }

    package static func wrapping<Answer>(
        _ work: () async throws(StoreFailure) -> Answer
    ) async throws(Fault) -> Answer {
        do throws(StoreFailure) { return try await work() } catch { throw Fault(error) }
    }
}
