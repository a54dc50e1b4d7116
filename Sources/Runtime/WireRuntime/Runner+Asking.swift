import Synchronization
import WireBase
package import WireHTTP
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
        for cell in present?.cells ?? [] {
            guard let service = cell.service as? Kind else { continue }
            cell.began()
            defer { cell.ended() }
            return try await work(service)
        }
        return nil
    }

    /// Makes a call in the generation that runs; nil where no service of it answers the call.
    ///
    /// It counts as in flight, as a request does.
    package func perform<Input, Answer, Kind>(
        _ call: APICall<Input, Answer, Kind>,
        with input: Input,
        _ rights: Rights
    ) async throws(APIFailure<Kind>) -> APIReply<Answer>? {
        for cell in present?.cells ?? [] {
            guard let handler = cell.service?.handler(of: call) else { continue }
            cell.began()
            defer { cell.ended() }
            return try await handler.perform(APIRequest(input, rights: rights))
        }
        return nil
    }
}

extension Service {
    fileprivate func handler<Input, Answer, Kind>(
        of call: APICall<Input, Answer, Kind>
    ) -> APIHandler<Input, Answer, Kind>? {
        func isIts(_ operation: Operation) -> Bool {
            operation.method == call.operation.method && operation.pattern == call.operation.pattern
        }
        guard Self.operations.contains(where: isIts) else { return nil }
        return routes.first { isIts($0.operation) }?.callHandler as? APIHandler<Input, Answer, Kind>
    }
}
