import Synchronization
import WireBase
package import WireHTTP
package import WireRunnerContract
package import WireService

extension Runner {
    package var statusWithFiles: RunnerStatus {
        get async {
            var status = status
            let (present, setAside) = state.withLock { ($0.present, $0.setAside) }
            guard let present else { return status }
            let number = setAside?.generation ?? present.number
            status.edited = await editedFiles.difference(from: number) {
                guard setAside != nil else { return present.candidate.sources.reveal() }
                return try? await history.sources(of: number)
            }
            return status
        }
    }

    /// Finds the service of a type in the current generation, for quick queries; nil where there is none.
    ///
    /// The service may stop at any time: use ``ask(_:_:)`` for anything longer.
    package func find<Kind: Service>(_ kind: Kind.Type) -> Kind? {
        for instance in present?.instances ?? [] {
            if let service = instance.service as? Kind { return service }
        }
        return nil
    }

    /// Calls the service of a type in the current generation; nil where there is none.
    ///
    /// The call counts as in flight: the service is not stopped before it is done.
    package func ask<Kind: Service, Answer, Failure: Error>(
        _ kind: Kind.Type,
        _ work: (Kind) async throws(Failure) -> Answer
    ) async throws(Failure) -> Answer? {
        let found = begin { generation in
            generation.instances.firstFound { instance in (instance.service as? Kind).map { (instance, $0) } }
        }
        guard let (instance, service) = found else { return nil }
        defer { instance.ended() }
        return try await work(service)
    }

    /// Performs an operation in the current generation; nil where no service handles it.
    ///
    /// The operation counts as in flight, like a request.
    package func perform<Input, Answer, Kind>(
        _ call: APICall<Input, Answer, Kind>,
        with input: Input,
        _ rights: Rights
    ) async throws(APIFailure<Kind>) -> APIReply<Answer>? {
        guard let (instance, found) = begin({ $0.handler(of: call.operation) }) else { return nil }
        defer { instance.ended() }
        guard let handler = found as? APIHandler<Input, Answer, Kind> else {
            preconditionFailure("\(call.operation.pattern) has a handler with other types")
        }
        return try await handler.perform(APIRequest(input, rights: rights))
    }

    /// Finds a service in the current generation, and counts the caller's work as in flight until the caller ends it.
    ///
    /// No swap happens during the search, so that the service is not stopped before.
    private func begin<Found>(_ find: (Generation) -> (instance: ServiceInstance, Found)?) -> (
        instance: ServiceInstance, Found
    )? {
        let generation = state.withLock { state in
            state.present?.inFlightRequests.began()
            return state.present
        }
        guard let generation else { return nil }
        defer { generation.inFlightRequests.ended() }
        let found = find(generation)
        found?.instance.began()
        return found
    }
}
