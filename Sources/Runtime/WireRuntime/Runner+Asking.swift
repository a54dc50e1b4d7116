import Synchronization
import WireBase
package import WireHTTP
package import WireRunnerContract
package import WireService

extension Runner {
    package var statusWithFiles: RunnerStatus {
        var status = status
        let (present, setAside) = state.withLock { ($0.present, $0.setAside) }
        guard let present else { return status }
        let number = setAside?.generation ?? present.number
        status.edited = editedFiles.difference(from: number) {
            guard setAside != nil else { return present.candidate.sources.reveal() }
            return try? history.sources(of: number)
        }
        return status
    }

    /// The service of a kind in the generation that runs, to look at; nil where nothing of that kind runs.
    ///
    /// It may end at any time: what takes time is asked for by ``ask(_:_:)``.
    package func find<Kind: Service>(_ kind: Kind.Type) -> Kind? {
        for cell in present?.cells ?? [] {
            if let service = cell.service as? Kind { return service }
        }
        return nil
    }

    /// Asks the service of a kind in the generation that runs; nil where nothing of that kind runs.
    ///
    /// What it does meanwhile counts as in flight, as a request does: the service is not stopped before it is done.
    package func ask<Kind: Service, Answer, Failure: Error>(
        _ kind: Kind.Type,
        _ work: (Kind) async throws(Failure) -> Answer
    ) async throws(Failure) -> Answer? {
        let found = begin { generation in
            generation.cells.firstFound { cell in (cell.service as? Kind).map { (cell, $0) } }
        }
        guard let (cell, service) = found else { return nil }
        defer { cell.ended() }
        return try await work(service)
    }

    /// Makes a call in the generation that runs; nil where no service of it answers the call.
    ///
    /// It counts as in flight, as a request does.
    package func perform<Input, Answer, Kind>(
        _ call: APICall<Input, Answer, Kind>,
        with input: Input,
        _ rights: Rights
    ) async throws(APIFailure<Kind>) -> APIReply<Answer>? {
        guard let (cell, found) = begin({ $0.handler(of: call.operation) }) else { return nil }
        defer { cell.ended() }
        guard let handler = found as? APIHandler<Input, Answer, Kind> else {
            preconditionFailure("\(call.operation.pattern) is answered by a handler of other types")
        }
        return try await handler.perform(APIRequest(input, rights: rights))
    }

    /// Finds a service in the generation that runs, and counts what it is asked as in flight until the caller ends that.
    ///
    /// No generation is replaced while it is looked through, so that the service found is not stopped before.
    private func begin<Found>(_ find: (Generation) -> (cell: ServiceCell, Found)?) -> (cell: ServiceCell, Found)? {
        let generation = state.withLock { state in
            state.present?.led.began()
            return state.present
        }
        guard let generation else { return nil }
        defer { generation.led.ended() }
        let found = find(generation)
        found?.cell.began()
        return found
    }
}
