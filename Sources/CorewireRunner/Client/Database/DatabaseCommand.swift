import Corewire
import CorewireCLI
import WireBase
import WireConfig
import WireHost
import WireService

/// `corewire store`: the database of a services file, whether a runner uses it or not.
enum DatabaseCommand {
    static func migrate(_ invocation: Invocation, _ embeddedServers: any Service.Type) async throws -> ExitStatus {
        let showing = try Display(invocation)
        var owner: GroupDatabase.Owner?
        if let user = invocation.option("as") {
            let asks = invocation.flag("password")
            owner = GroupDatabase.Owner(
                user: user,
                password: asks ? try HiddenInput.ask("Password of \(user.quoted): ") : nil
            )
        }
        let done = try await asking(invocation, embeddedServers, owner) { database throws(StartFailure) in
            try await database.migrate()
        }
        let json = JSONValue.members([
            "schema": .string(done.schema), "made": .boolean(done.isNew || done.lackedFunctions),
            "role": done.role.map(JSONValue.string),
        ])
        showing.show(json) {
            let made =
                done.isNew
                ? "made the schema"
                : done.lackedFunctions
                    ? "made the missing functions of the schema" : "nothing to do: the database has the schema"
            let role = done.role.map { "\nthe user \($0.quoted) may call its functions" } ?? ""
            return "\(made) \(done.schema.quoted)\(role)\n"
        }
        return .success
    }

    static func status(_ invocation: Invocation, _ embeddedServers: any Service.Type) async throws -> ExitStatus {
        let showing = try Display(invocation)
        let status = try await asking(invocation, embeddedServers, nil) { database throws(StartFailure) in
            DatabaseText(database, try await database.facts())
        }
        showing.show(status.json) { status.text }
        return status.isReady ? .success : .problemsFound
    }

    private static func asking<Answer>(
        _ invocation: Invocation,
        _ embeddedServers: any Service.Type,
        _ owner: GroupDatabase.Owner?,
        _ work: (GroupDatabase) async throws(StartFailure) -> Answer
    ) async throws -> Answer {
        let environment = Environment.consumed()
        let options = try RunOptions(invocation, embeddedServers, file: invocation.argument(0))
        do throws(StartFailure) {
            guard let database = try GroupDatabase.declared(by: options, owner: owner, environment: environment) else {
                throw StartFailure(.invalid, "the file declares no database: it has no 'persistence.store'")
            }
            return try await work(database)
        } catch {
            throw failure(error)
        }
    }

    static func failure(_ failure: StartFailure) -> Failure {
        if let diagnostics = failure.diagnostics { Console.printError(diagnostics) }
        return Failure(message: failure.reason, status: exitStatus(of: failure.kind), help: failure.help)
    }

    private static func exitStatus(of kind: StartFailure.Kind) -> ExitStatus {
        switch kind {
        case .invalid: .invalidFile
        case .unreadable: .noInput
        case .away, .taken: .temporary
        default: .problemsFound
        }
    }
}
