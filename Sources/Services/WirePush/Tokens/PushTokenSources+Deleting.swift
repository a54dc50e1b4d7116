import WireBase
import WireConfig
import WirePushContract
import WireService

/// Deletes tokens at their providers.
extension PushTokenSources {
    /// Deletes a provider's token; throws where that is not possible here.
    func delete(_ provider: PushProvider) async throws(Fault) {
        switch settings.tokens[provider] {
        case .shape(.program(let program))?:
            guard let delete = program.delete else {
                throw Fault(
                    "no program deletes the token of \(provider.rawValue)",
                    help: "set 'get' and 'delete' of 'exec' to programs",
                    origin: origin(of: provider)
                )
            }
            try await run(delete, program.timeout, provider)
        case .word(.app)?:
            if let delete = host.find(.pushTokenCode)?[provider.rawValue]?.delete {
                do { try await delete() } catch { throw (error as? Fault) ?? Fault("the add-on failed") }
            }
        case nil where provider == .webPush: return try await webPush.replaceAll()
        case nil where host.facts.backend == .embedded: break
        default:
            throw Fault(
                "the token of \(provider.rawValue) has another source, where corewire cannot delete it",
                help: "remove it at its source",
                origin: origin(of: provider)
            )
        }
        try await repository.editTokens { kept in
            kept.handed.removeAll { $0.provider == provider }
            kept.made.removeAll { $0.provider == provider }
            if kept.manual?.provider == provider { kept.manual = nil }
        }
        forget(provider)
    }

    private func run(_ command: Command, _ limit: Duration, _ provider: PushProvider) async throws(Fault) {
        guard let programs = host.find(.programs) else { throw Fault("no programs can be run in this runner") }
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
