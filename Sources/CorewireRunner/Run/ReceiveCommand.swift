import Corewire
import CorewireCLI
import WireBase
import WireConfig
import WireHost
import WireHTTP
import WireNotificationContract
import WireRuntime
import WireService

/// `corewire receive`: stores one push first, then fetches its picture and waits for its handling within the time
/// limit.
enum ReceiveCommand {
    private static let longest = Duration.seconds(600)

    static func run(_ invocation: Invocation, _ embeddedServers: any Service.Type) async throws -> ExitStatus {
        let showing = try Display(invocation)
        let limit =
            try invocation.option("within").map { try invocation.duration($0, option: "within") } ?? .seconds(25)
        guard limit > .zero, limit <= longest else {
            throw UsageError("--within must be at most 10m, not \(limit.literal.plainText)", for: invocation.path)
        }
        let clock = TimeSource.host
        let end = clock.monotonic() + limit
        let options = try RunOptions(invocation, embeddedServers)
        let carrier = invocation.option("id")
        let isByContent = try invocation.choice("dedupe") == "content"
        let deadline = Deadline(limit: limit, clock: clock)
        let receiver: PushReceiver
        let taken: PushReceiver.Taken
        do {
            (receiver, taken) = try await deadline.run {
                // The program on standard input may never close it.
                let bytes = try payload(invocation)
                let receiver = try await PushReceiver(options, in: .snapshot())
                return (
                    receiver, try await receiver.receive(bytes, carrier: carrier, isKnownByContent: isByContent)
                )
            }
        } catch let failure as StartFailure {
            return tell(failure)
        } catch let failure as NotificationFailure {
            Console.printError("error: \(failure.reason)\n\(failure.help.map { "  = help: \($0)\n" } ?? "")")
            return failure.kind == .storeUnavailable ? .inputOutput : .problemsFound
        } catch let failure as Failure {
            throw failure
        } catch {
            Console.printError("error: the push was not stored within \(limit.literal.plainText)\n")
            return .temporary
        }
        guard taken.isNew else {
            show(taken, "known", nil, showing) { "\($0)  was already accepted\n" }
            await receiver.close()
            return .takenBefore
        }
        // The push is stored; the runner completes unfinished work later.
        let (state, picture) = await rest(invocation, receiver, taken, end: end)
        show(taken, state, picture, showing) { "\($0)  \(state)\n" }
        await receiver.close()
        return .success
    }

    private static func show(
        _ taken: PushReceiver.Taken,
        _ state: String,
        _ picture: String?,
        _ showing: Display,
        _ text: (String) -> String
    ) {
        let answer = JSONValue.members([
            "id": .string(taken.id), "new": .boolean(taken.isNew), "update": taken.isUpdate ? .boolean(true) : nil,
            "media": picture.map(JSONValue.string), "state": .string(state),
        ])
        showing.show(answer) { text(taken.id.shown(upTo: 200)) }
    }

    /// Fetches the picture and waits for the runner concurrently, within the time limit.
    private static func rest(
        _ invocation: Invocation,
        _ receiver: PushReceiver,
        _ taken: PushReceiver.Taken,
        end: Duration
    ) async -> (state: String, picture: String?) {
        let left = end - TimeSource.host.monotonic() - .milliseconds(200)
        guard left > .zero else { return ("kept", nil) }
        let deadline = Deadline(limit: left, clock: .host)
        let picture = Task<String?, Never> {
            do {
                return try await deadline.run { try await receiver.fetchMedia(of: taken.push, taken.id, within: left) }
            } catch {
                Console.printError(
                    "warning: no picture: \((error as? Fault)?.reason ?? "the download timed out")\n"
                )
                return nil
            }
        }
        let state = (try? await deadline.run { await handled(invocation, taken.id, left) }) ?? "kept"
        return (state, await picture.value)
    }

    /// The result of the runner; `kept` where none runs.
    private static func handled(_ invocation: Invocation, _ id: String, _ limit: Duration) async -> String {
        let seconds = max(0, min(60, Int(limit.components.seconds)))
        guard let client = try? RunnerClient(invocation),
            let answer = try? await client.ask(
                .get,
                NotificationCalls.show.target(for: NotificationShowRequest(id, wait: seconds)),
                within: limit + .seconds(1)
            ), answer.status == .ok, let detail = try? answer.value(NotificationDetail.self)
        else { return "kept" }
        return detail.state == .done ? "handled" : "kept"
    }

    private static func payload(_ invocation: Invocation) throws -> [UInt8] {
        if let given = invocation.argument(0), given != "-" { return Array(given.utf8) }
        return try CommandFiles.standardInput(upTo: .mebibytes(2))
    }

    private static func tell(_ failure: StartFailure) -> ExitStatus {
        Console.printError(failure.text)
        switch failure.kind {
        case .invalid: return .invalidFile
        case .unreadable: return .noInput
        case .guarded: return .noPermission
        default: return .inputOutput
        }
    }
}
