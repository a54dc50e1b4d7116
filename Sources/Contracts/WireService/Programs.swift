package import WireBase
import WireConfig

/// Runs other programs, of this machine and of this user.
package protocol Programs: Sendable {
    /// Returns when the program has ended, whatever its exit status.
    ///
    /// No shell takes part, and nothing of this process is inherited but what the call names. Cancelling the task ends the
    /// program. Whatever it has started itself is ended with it where it is ended, and left alone where it ends by itself.
    func run(_ call: ProgramCall) async throws(ProgramFailure) -> ProgramOutcome

    /// Returns at once, while the program goes on; `ended` hears of its end once, on a thread that must not wait.
    ///
    /// The same holds of it as of one that is run. Letting go of the answer changes nothing: it runs until it ends, or is
    /// ended.
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
        throw ProgramFailure(.notStarted, "\(call.program.quoted) cannot be started here to go on")
    }
}

/// A program that goes on.
package protocol ProgramLife: Sendable {
    /// Asks it to end, and makes it when its grace is over; or makes it at once. Everything in its process group goes.
    func end(atOnce: Bool)
}

/// A program that is to be run once.
package struct ProgramCall: Sendable {
    /// What of the environment of this process a program gets.
    package enum Inheritance: Sendable {
        /// What any program needs to be itself on this machine.
        case usual
        /// `PATH`, `HOME`, `LANG` and `TZ`.
        case least
    }

    /// A path, relative to ``folder``, or a name that is looked for on the `PATH` of this process.
    package var program: String
    package var arguments: [String]
    /// Variables beside those that any program needs (`PATH`, `HOME`, `LANG` and their like); these win.
    package var environment: [String: String] = [:]
    /// What it reads from standard input; an empty input where nil.
    package var input: [UInt8]?
    /// What it reads from standard input for as long as it runs, instead of ``input``.
    package var feed: ProgramFeed?
    /// Hears what it prints as it comes, on a thread that must not wait; then nothing of it is kept, and it may print on.
    package var heard: (@Sendable ([UInt8]) -> Void)?
    /// Hears what it writes to standard error as it comes, on a thread that must not wait.
    package var heardErrors: (@Sendable ([UInt8]) -> Void)?
    /// Hears the number of its process once it has one.
    package var started: (@Sendable (Int32) -> Void)?
    /// Whether it does work that was claimed: where it outlives this process, the claim holds for as long as both last.
    package var doesClaimedWork = false
    /// Which variables of this process it gets.
    package var inherits = Inheritance.usual
    /// Whether whatever it has started itself is ended with it, however it ends.
    package var endsItsOwn = false
    /// How much it may print; more is a failure.
    package var outputLimit: ByteCount = .mebibytes(1)
    /// How long it may take before it is asked to end (SIGTERM).
    package var timeLimit: Duration = .seconds(10)
    /// How long it may take after that before it is made to (SIGKILL).
    package var grace: Duration = .seconds(2)
    /// Where it runs; the folder of the services file where nil.
    package var folder: String?

    package init(_ program: String, _ arguments: [String] = []) {
        self.program = program
        self.arguments = arguments
    }
}

/// What became of a program that ran.
package struct ProgramOutcome: Sendable {
    package enum End: Sendable, Equatable {
        case exited(Int32)
        case signalled(Int32)
    }

    package let end: End
    package let output: [UInt8]
    /// The last it wrote to standard error, for messages; never to be taken for more than somebody's words.
    package let complaint: String

    package init(end: End, output: [UInt8], complaint: String) {
        self.end = end
        self.output = output
        self.complaint = complaint
    }

    package var isSuccess: Bool { end == .exited(0) }

    /// How it ended, in words: `exited with 1: no such account`.
    package var description: String {
        let words =
            switch end {
            case .exited(let status): "exited with \(status)"
            case .signalled(let number): "was ended by signal \(number)"
            }
        return complaint.isEmpty ? words : "\(words): \(complaint)"
    }
}

/// Why a program could not be run to its end.
package struct ProgramFailure: Error, Sendable {
    package enum Kind: String, Sendable {
        case notFound, notExecutable, notStarted, timedOut, tooMuchOutput, cancelled, exhausted
    }

    package let kind: Kind
    /// In words; its arguments and output never.
    package let reason: String

    package init(_ kind: Kind, _ reason: String) {
        self.kind = kind
        self.reason = reason
    }

    /// What to do about it, as `validate-config --local` says it.
    package var help: String? { kind == .notExecutable ? "chmod +x" : nil }
}

extension Ability where Value == any Programs {
    package static var programs: Ability<any Programs> { Ability(Provision(.runner, "programs")) }
}
