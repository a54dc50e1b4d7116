import WireBase
import WireConfig
import WireService

/// Fetches a token from its source.
struct TokenFetch: Sendable {
    let origin: TokenOrigin
    let folder: String
    let clock: TimeSource
    let programs: (any Programs)?

    /// Whether an immediate retry is cheap, also after a failure.
    var isCheap: Bool {
        switch origin {
        case .file, .variable: true
        case .auth, .program, .code: false
        }
    }

    /// The current identity of the token file; nil for any other source.
    func identity() -> Files.Identity? {
        guard case .file(let path) = origin else { return nil }
        return Files.identity(of: absolute(path))
    }

    func fetch() async throws -> SuppliedToken {
        switch origin {
        case .auth: throw Fault("tokens of the section 'auth' are not fetched here")
        case .file(let path): return try read(file: path)
        case .variable(let name): return try read(variable: name)
        case .program(let call, let lifetime): return try await run(call, lifetime)
        case .code(let code): return try await code()
        }
    }

    private func read(file path: String) throws(Fault) -> SuppliedToken {
        let what = "the file \(path.quoted)"
        let (bytes, _) = try Fault.rethrowing(
            after: "\(what) cannot be used",
            try Files.readTrusted(absolute(path), upTo: TokenReading.limit)
        )
        return try supplied(bytes, by: what)
    }

    private func supplied(_ bytes: [UInt8], by what: String) throws(Fault) -> SuppliedToken {
        let token = try Fault.rethrowing(after: "\(what) cannot be used", try TokenReading.token(bytes))
        return SuppliedToken(Secret(token), expires: TokenReading.end(of: token))
    }

    private func read(variable name: String) throws(Fault) -> SuppliedToken {
        guard let value = Files.variable(name), !value.isEmpty else {
            throw Fault("the environment variable \(name.quoted) is not set")
        }
        return try supplied(Array(value.utf8), by: "the environment variable \(name.quoted)")
    }

    private func run(_ call: ProgramCall, _ lifetime: Duration) async throws(Fault) -> SuppliedToken {
        guard let programs else { throw Fault("this program cannot run other programs") }
        var call = call
        call.outputLimit = TokenReading.limit
        let outcome: ProgramOutcome
        do throws(ProgramFailure) {
            outcome = try await programs.run(call)
        } catch {
            throw Fault(error.reason)
        }
        guard outcome.isSuccess else { throw Fault("\(call.program.quoted) \(outcome.description)") }
        return try Fault.rethrowing(
            after: "the output of \(call.program.quoted) cannot be used",
            try TokenReading.printed(outcome.output, now: clock.wall(), otherwise: lifetime)
        )
    }

    private func absolute(_ path: String) -> String { path.hasPrefix("/") ? path : "\(folder)/\(path)" }
}
