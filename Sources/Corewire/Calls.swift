import WireBase
import WireConfig
import WireHTTP
import WireRuntime
import WireService

/// An error of the Swift API, which the failures of an area's calls become.
protocol CallError: Error {
    associatedtype Code: CallErrorCode

    /// The section of the services file whose service answers, and what to do where the file has none.
    static var section: (name: String, help: String) { get }

    init(_ code: Code, _ description: String, help: String?, setting: (path: String, place: String)?)
}

/// The code of an error, which is the kind of a failure: the last part of the problem's type.
protocol CallErrorCode: Equatable {
    init(kind: String)

    /// The input is not as it has to be.
    static var badInput: Self { get }
}

extension CallErrorCode {
    /// The services have been stopped, or are being.
    static var ending: Self { Self(kind: "ending") }
    /// No service answers.
    static var absent: Self { Self(kind: "no-service") }
}

extension CallError {
    static var stopped: Self { Self(.ending, "the services have been stopped", help: nil, setting: nil) }

    /// No service answers.
    init(withoutServiceIn status: RunnerStatus) {
        let absence = Absence(of: Self.section.name, in: status, help: Self.section.help)
        self.init(.absent, absence.description, help: absence.help, setting: nil)
    }

    init(_ failure: APIFailure<some FailureKind>) {
        let code = Code(kind: failure.kind.rawValue)
        self.init(code, failure.reason, help: failure.help, setting: failure.origin?.setting)
    }
}

extension Corewire {
    /// Makes a call in the generation that runs.
    func perform<Input, Answer, Kind, Failure: CallError>(
        _ call: APICall<Input, Answer, Kind>,
        _ input: Input,
        failingAs failure: Failure.Type
    ) async throws(Failure) -> Answer {
        guard !runner.isStopping else { throw Failure.stopped }
        do throws(JSONMismatch) {
            try input.check()
        } catch {
            throw Failure(.badInput, "\(error.member.quoted): \(error.detail)", help: nil, setting: nil)
        }
        let reply: APIReply<Answer>?
        do throws(APIFailure<Kind>) {
            reply = try await runner.perform(call, with: input, .everything("app"))
        } catch {
            throw Failure(error)
        }
        guard let reply else { throw Failure(withoutServiceIn: runner.status) }
        return reply.answer
    }
}
