import WireBase
import WireConfig
import WirePushContract
import WireService

/// Making providers forget their tokens.
extension TokenDesk {
    /// Makes a provider forget its token; throws where that cannot be done here.
    func delete(_ provider: PushProvider) async throws(Fault) {
        switch settings.tokens[provider] {
        case .shape(.program(let program))?:
            guard let delete = program.delete else {
                throw Fault(
                    "the file names no program that deletes the token of \(provider.rawValue)",
                    help: "give 'exec' a program for 'get' and one for 'delete'",
                    origin: origin(of: provider)
                )
            }
            try await run(delete, program.timeout, provider)
        case .word(.app)?:
            if let delete = host.find(.pushTokenCode)?[provider.rawValue]?.delete {
                do { try await delete() } catch { throw (error as? Fault) ?? Fault("the program's own code failed") }
            }
        case nil where host.facts.backend == .embedded: break
        default:
            throw Fault(
                "the token of \(provider.rawValue) comes from elsewhere, and is not corewire's to delete",
                help: "remove it where it comes from",
                origin: origin(of: provider)
            )
        }
        try await keeper.editTokens { kept in
            kept.handed.removeAll { $0.provider == provider }
            kept.made.removeAll { $0.provider == provider }
            if kept.manual?.provider == provider { kept.manual = nil }
        }
        forget(provider)
    }

    private func run(_ command: Command, _ limit: Duration, _ provider: PushProvider) async throws(Fault) {
        guard let programs = host.find(.programs) else { throw Fault("programs cannot be run here") }
        var call = ProgramCall(command.program, command.arguments.map(\.text))
        call.timeLimit = limit
        do throws(ProgramFailure) {
            let outcome = try await programs.run(call)
            guard outcome.isSuccess else {
                throw ProgramFailure(.notStarted, "\(call.program.quoted) \(outcome.description)")
            }
        } catch {
            throw Fault(error.reason, origin: origin(of: provider))
        }
    }
}
