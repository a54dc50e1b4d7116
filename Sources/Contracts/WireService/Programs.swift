package import WireBase
import WireConfig

/// Runs other programs on this machine, as the user of this process.
package protocol Programs: Sendable {
    /// Runs a program and returns when it has ended, with any exit status.
    ///
    /// The program is executed without a shell and inherits only what the call names. Cancelling the task ends the
    /// program and its child processes; when the program ends by itself, its child processes stay.
    func run(_ call: ProgramCall) async throws(ProgramFailure) -> ProgramOutcome

    /// Starts a program and returns at once; `ended` is called once when it ends, on a thread that must not block.
    ///
    /// The program is executed as in ``run(_:)``. Releasing the result has no effect on it.
    func start(
        _ call: ProgramCall,
        ended: @escaping @Sendable (Result<ProgramOutcome, ProgramFailure>) -> Void
    ) throws(ProgramFailure) -> any ProgramLife
}

extension Programs {
    package func start(
        _ call: ProgramCall,
        ended: @escaping @Sendable (Result<ProgramOutcome, ProgramFailure>) -> Void
    ) throws(ProgramFailure) -> any ProgramLife {
        throw ProgramFailure(.notStarted, "\(call.program.quoted) cannot be started as a long-running program here")
    }
}

/// A running program.
package protocol ProgramLife: Sendable {
    /// Ends the process group: with SIGTERM and a grace period, or at once with SIGKILL.
    func end(atOnce: Bool)
}

/// The parameters of one execution of a program.
package struct ProgramCall: Sendable {
    /// The environment variables that a program inherits.
    package enum Inheritance: Sendable {
        /// The usual variables for a program on this machine.
        case usual
        /// `PATH`, `HOME`, `LANG` and `TZ`.
        case least
    }

    /// A path relative to ``folder``, or a name that is searched on the `PATH` of this process.
    package var program: String
    package var arguments: [String]
    /// Additional variables; these override the inherited ones (`PATH`, `HOME`, `LANG` and others).
    package var environment: [String: String] = [:]
    /// The standard input; empty where nil.
    package var input: [UInt8]?
    /// A stream for the standard input, instead of ``input``.
    package var feed: ProgramFeed?
    /// Receives standard output while it arrives, on a thread that must not block; the output is then neither kept nor
    /// limited.
    package var onOutput: (@Sendable ([UInt8]) -> Void)?
    /// Receives standard error while it arrives, on a thread that must not block.
    package var heardErrors: (@Sendable ([UInt8]) -> Void)?
    /// Called with the process id once the program runs.
    package var started: (@Sendable (Int32) -> Void)?
    /// Whether the program does leased work: the lease is then held until both this process and the program have ended.
    package var doesClaimedWork = false
    /// The variables the program inherits.
    package var inherits = Inheritance.usual
    /// Whether to end child processes of the program in every case.
    package var endsItsOwn = false
    /// The maximum size of the output; more is a failure.
    package var outputLimit: ByteCount = .mebibytes(1)
    /// The timeout after which the program receives SIGTERM.
    package var timeLimit: Duration = .seconds(10)
    /// The grace period after which the program receives SIGKILL.
    package var grace: Duration = .seconds(2)
    /// The working directory; the folder of the services file where nil.
    package var folder: String?

    package init(_ program: String, _ arguments: [String] = []) {
        self.program = program
        self.arguments = arguments
    }
}

/// The result of a program.
package struct ProgramOutcome: Sendable {
    package enum End: Sendable, Equatable {
        case exited(Int32)
        case signalled(Int32)
    }

    package let end: End
    package let output: [UInt8]
    /// The last output on standard error, for messages; untrusted text.
    package let complaint: String

    package init(end: End, output: [UInt8], complaint: String) {
        self.end = end
        self.output = output
        self.complaint = complaint
    }

    package var isSuccess: Bool { end == .exited(0) }

    /// The result in words: `exited with 1: no such account`.
    package var description: String {
        let words =
            switch end {
            case .exited(let status): "exited with \(status)"
            case .signalled(let number): "killed by signal \(number)"
            }
        return complaint.isEmpty ? words : "\(words): \(complaint)"
    }
}

/// Why a program was not run to its end.
package struct ProgramFailure: Error, Sendable {
    package enum Kind: String, Sendable {
        case notFound, notExecutable, notStarted, timedOut, tooMuchOutput, cancelled, exhausted
    }

    package let kind: Kind
    /// The reason in words; never contains arguments or output.
    package let reason: String

    package init(_ kind: Kind, _ reason: String) {
        self.kind = kind
        self.reason = reason
    }

    /// What to do, as `validate-config --local` reports it.
    package var help: String? { kind == .notExecutable ? "chmod +x" : nil }
}

extension Ability where Value == any Programs {
    package static var programs: Ability<any Programs> { Ability(Provision(.runner, "programs")) }
}
