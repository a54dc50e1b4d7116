import WireBase
import WireConfig
import WireHTTP
import WireNetworkContract
import WireService
import WireWorkContract

/// The work of a declared task.
struct TaskActions: Sendable {
    private let task: DeclaredTask
    private let name: String
    private let path: String
    private let host: BackgroundHost

    init(_ task: DeclaredTask, named name: String, path: String, _ host: BackgroundHost) {
        (self.task, self.name, self.path, self.host) = (task, name, path, host)
    }

    /// The work; nil for a task that Swift code does.
    ///
    /// The outbox of the service is requested at each run.
    func work(outbox: @escaping @Sendable () -> (any Outbox)?) -> KnownTask.Work? {
        if let exec = task.exec { return { _ in try await run(exec) } }
        if let request = task.request {
            if request.mustArrive {
                return { occurrence in try await post(request, of: occurrence, to: outbox()) }
            }
            return { _ in try await send(request) }
        }
        if task.drain {
            return { _ in
                guard let outbox = outbox() else { throw fault("no outbox is available", task.$drain, "drain") }
                outbox.drain()
            }
        }
        return nil
    }

    // MARK: Programs

    private func run(_ command: Command) async throws {
        guard let programs = host.find(.programs) else {
            throw fault("this program cannot run other programs", task.$exec, "exec")
        }
        var call = ProgramCall(command.program, command.arguments.map(\.text))
        call.environment = ["COREWIRE_TASK": name]
        if let environment = host.facts.name { call.environment["COREWIRE_ENV"] = environment }
        call.timeLimit = task.timeLimit
        call.grace = .seconds(5)
        call.doesClaimedWork = true
        let outcome: ProgramOutcome
        do throws(ProgramFailure) {
            outcome = try await programs.run(call)
        } catch {
            if error.kind == .cancelled { throw CancellationError() }
            let origin = host.places.origin(ofProgram: task.$exec, "\(path).exec")
            throw Fault(error.reason, help: error.help, origin: origin)
        }
        guard outcome.isSuccess else {
            throw fault("\(command.program.quoted) \(outcome.description)", task.$exec, "exec")
        }
    }

    // MARK: Requests

    private func send(_ request: TaskRequest) async throws {
        guard let requests = host.uses.requests else {
            throw fault("the network service is not running", task.$request, "request")
        }
        var call = ServerCall(
            Method(request.method.rawValue),
            .address(request.url),
            from: "background",
            at: host.places.origin(of: request.$url, "\(path).request.url")
        )
        if let body = body(of: request) {
            call.body = .bytes(body)
            call.fields["Content-Type"] = "application/json"
        }
        call.authorization = .init(request.authorization, authenticated: request.authenticated)
        call.redirects = .unchanged
        call.deadline = task.timeLimit
        call.offlinePolicy = OfflinePolicy.none
        let answer: ServerAnswer
        do throws(CallFailure) {
            answer = try await requests.send(call)
        } catch {
            if case .cancelled = error.kind { throw CancellationError() }
            throw error.fault
        }
        // Read the rest of the body, so that the connection can be reused.
        var rest = ByteCount.mebibytes(1).bytes
        while rest > 0, let bytes = try? await answer.body.read() { rest -= bytes.count }
        guard (200..<300).contains(answer.status.code) else {
            let reason = "the server responded with status \(answer.status.code)\(answer.status.redirectNote)"
            throw fault(reason, request.$url, "request.url")
        }
    }

    /// The task is done when the request is stored; delivery is up to the outbox.
    ///
    /// A run that is repeated, because its end was not stored, posts no second request.
    private func post(_ request: TaskRequest, of occurrence: String, to outbox: (any Outbox)?) async throws {
        guard let outbox else { throw fault("no outbox is available", request.$mustArrive, "request.mustArrive") }
        var item = OutboxRequest(
            Method(request.method.rawValue),
            request.url.text,
            lane: "task.\(name)",
            service: "background"
        )
        item.id = "task.\(name.percentEncoded.suffix(100)).\(occurrence)"
        if let body = body(of: request) {
            item.body = body
            item.fields["Content-Type"] = "application/json"
        }
        item.authorization = .init(request.authorization, authenticated: request.authenticated)
        _ = try await Fault.wrapping { () async throws(OutboxFailure) in try await outbox.post(item) }
    }

    private func body(of request: TaskRequest) -> [UInt8]? {
        request.body.map { JSONValue($0.literal).bytes() }
    }

    private func fault(_ reason: String, _ place: Place, _ key: String) -> Fault {
        host.fault(reason, at: place, "\(path).\(key)")
    }
}
