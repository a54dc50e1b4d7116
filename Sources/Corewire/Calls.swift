import WireBase
import WireConfig
package import WireHTTP
import WireRunnerContract
import WireRuntime
import WireService

/// An area of the API: its section of the services file, and the advice where the section is missing.
struct Area: Sendable {
    let section: String
    let help: String
}

/// A failure that can be converted to a ``CorewireError``.
protocol AreaFailure: Error {
    var error: CorewireError { get }
}

extension APIFailure: AreaFailure {
    var error: CorewireError { CorewireError(self) }
}

extension Corewire {
    /// Performs an operation in the current generation.
    func perform<Input, Answer, Kind>(
        _ call: APICall<Input, Answer, Kind>,
        _ input: Input,
        in area: Area
    ) async throws(CorewireError) -> Answer {
        try await CorewireError.rethrowing(try input.check())
        return try await answer(in: area) { () async throws(APIFailure<Kind>) in
            try await runner.perform(call, with: input, .everything("app"))?.answer
        }
    }

    /// Calls a service in the current generation.
    func ask<Asked: WireService.Service, Answer, Failure: AreaFailure>(
        _ service: Asked.Type,
        in area: Area,
        _ work: (Asked) async throws(Failure) -> Answer
    ) async throws(CorewireError) -> Answer {
        try await answer(in: area) { () async throws(Failure) in try await runner.ask(service, work) }
    }

    private func answer<Answer, Failure: AreaFailure>(
        in area: Area,
        _ work: () async throws(Failure) -> Answer?
    ) async throws(CorewireError) -> Answer {
        guard !runner.isStopping else { throw .stopped }
        let answer: Answer?
        do throws(Failure) {
            answer = try await work()
        } catch {
            throw error.error
        }
        guard let answer else { throw CorewireError(without: area, in: runner.status) }
        return answer
    }
}

extension CorewireError: WrappingError {
    package typealias Cause = JSONMismatch

    /// Converts an invalid input.
    package init(_ mismatch: JSONMismatch) { self.init(.invalid, "\(mismatch.member.quoted): \(mismatch.detail)") }

    /// The error where no service handles a call: its section is missing, or its service does not run.
    init(without area: Area, in status: RunnerStatus) {
        guard let service = status.services.first(where: { $0.name == area.section }) else {
            self.init(.noService, "\(status.file.quoted) has no section '\(area.section)'", help: area.help)
            return
        }
        let reason = service.state.reason.map { ": \($0)" } ?? ""
        let description = "the service '\(area.section)' is \(service.state.name)\(reason)"
        self.init(.noService, description, origin: service.state.fault?.origin)
    }
}
