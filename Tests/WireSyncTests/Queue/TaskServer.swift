import Synchronization
import WireBase
import WireConfig
import WireHTTP
import WireNetworkContract

/// A server of tasks in DataSync's form: versions, conflicts, and idempotency keys.
final class TaskServer: ServerClient {
    struct Received: Sendable {
        let operation: String
        let key: String
        let input: JSONValue
        let fields: Fields
    }

    fileprivate struct State {
        var isOnline = true
        var tasks: [String: JSONValue] = [:]
        var history: [String: JSONValue] = [:]
        var last = 0
        var answers: [String: JSONValue] = [:]
        var received: [Received] = []
        /// Answers in place of its own.
        var canned: [(status: Int, body: JSONValue)] = []
        /// Where answers are held back once the work is done.
        var holding: OneShot?
        var isOffix = false
    }

    private let state = Mutex(State())

    func set(online: Bool) { state.withLock { $0.isOnline = online } }
    func speakAsOffix() { state.withLock { $0.isOffix = true } }
    func hold(_ until: OneShot?) { state.withLock { $0.holding = until } }
    func answer(_ status: Int, _ body: JSONValue) { state.withLock { $0.canned.append((status, body)) } }

    var received: [Received] { state.withLock { $0.received } }
    var titles: [String] {
        state.withLock { $0.tasks.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value["title"]?.string ?? "?")" } }
    }

    func task(_ id: String) -> JSONValue? { state.withLock { $0.tasks[id] } }

    /// Puts a task there, or changes it as another client does.
    func put(_ id: String, _ values: KeyValuePairs<String, JSONValue>) {
        state.withLock { $0.change(id, values.map { ($0.key, $0.value) }) }
    }

    func url(of address: Address) -> WebURL? { address.absolute }

    func send(_ call: ServerCall) async throws(CallFailure) -> ServerAnswer {
        guard case .bytes(let bytes)? = Optional(call.body), let json = try? JSONValue(parsing: bytes, named: "request")
        else { throw CallFailure(.noAddress, "no request", wasNotSent: true) }
        let (status, body, barrier): (Int, JSONValue, OneShot?) = try state.withLock { state throws(CallFailure) in
            guard state.isOnline else { throw CallFailure(.offline, "there is no network", wasNotSent: true) }
            let (status, body) = state.run(json, call.fields)
            return (status, body, state.holding)
        }
        await barrier?.wait()
        if Task.isCancelled { throw CallFailure(.cancelled, "cancelled", wasNotSent: false) }
        guard state.withLock({ $0.isOnline }) else {
            throw CallFailure(.transfer(.interrupted), "cut", wasNotSent: false)
        }
        return ServerAnswer(
            status: Status(status),
            fields: ["Content-Type": "application/json"],
            body: OneBody(body.bytes())
        )
    }
}

extension TaskServer.State {
    fileprivate mutating func change(_ id: String, _ values: [(key: String, value: JSONValue)]) {
        var task =
            tasks[id]?.members ?? [
                ("id", .string(id)), ("title", .string("")), ("done", .boolean(false)), ("note", .null),
                ("_version", .integer(0)),
            ]
        for (key, value) in values where key != "id" && key != "_version" {
            if let place = task.firstIndex(where: { $0.key == key }) { task[place].value = value }
        }
        let version = (JSONValue.object(task)["_version"]?.integer ?? 0) + 1
        task[task.count - 1].value = .integer(version)
        tasks[id] = .object(task)
        history["\(id) \(version)"] = .object(task)
        last = max(last, Int(id) ?? 0)
    }

    fileprivate mutating func run(_ request: JSONValue, _ fields: Fields) -> (Int, JSONValue) {
        let text = request["query"]?.string ?? ""
        let known = ["createTask", "updateTask", "deleteTask", "sweep"]
        guard let operation = known.first(where: { text.contains("\($0)(") || text.contains("{\($0)") }) else {
            let items = tasks.sorted { $0.key < $1.key }.map { Self.typed($0.value) }
            let list = JSONValue.members(["__typename": .string("TaskResultList"), "items": .array(items)])
            return (200, .members(["data": .members(["findTasks": list])]))
        }
        let key = fields["Idempotency-Key"] ?? ""
        let variables = request["variables"]
        let inline = JSONValue.members([
            "id": variables?["id"], "title": variables?["title"], "_version": variables?["version"],
        ])
        let input = variables?["input"] ?? inline
        received.append(.init(operation: operation, key: key, input: input, fields: fields))
        if !canned.isEmpty { return canned.removeFirst() }
        if !key.isEmpty, let answer = answers[key] { return (200, answer) }
        let answer = work(operation, input)
        if case .some = answer["data"]?[operation]?.members { answers[key] = answer }
        return (200, answer)
    }

    private mutating func work(_ operation: String, _ input: JSONValue) -> JSONValue {
        if operation == "createTask" {
            let id = "\(last + 1)"
            change(id, input.members ?? [])
            return .members(["data": .members([operation: tasks[id].map(Self.typed)])])
        }
        guard let id = input["id"]?.string, let task = tasks[id] else {
            return .members([
                "data": .null, "errors": .array([.members(["message": .string("there is no such task")])]),
            ])
        }
        if let version = input["_version"]?.integer, version != task["_version"]?.integer {
            return conflict(input, task, version)
        }
        if operation == "deleteTask" {
            tasks[id] = nil
            return .members(["data": .members([operation: Self.typed(task)])])
        }
        change(id, input.members ?? [])
        return .members(["data": .members([operation: tasks[id].map(Self.typed)])])
    }

    private func conflict(_ input: JSONValue, _ task: JSONValue, _ version: Int) -> JSONValue {
        let info =
            isOffix
            ? JSONValue.members(["serverState": task, "clientState": input])
            : .members([
                "base": history["\(input["id"]?.string ?? "") \(version)"], "serverData": task, "clientData": input,
            ])
        let extensions =
            isOffix
            ? JSONValue.members([
                "code": .string("INTERNAL_SERVER_ERROR"), "exception": .members(["conflictInfo": info]),
            ]) : .members(["code": .string("CONFLICT"), "conflictInfo": info])
        let error = JSONValue.members(["message": .string("the task was changed"), "extensions": extensions])
        return .members(["data": .null, "errors": .array([error])])
    }

    private static func typed(_ task: JSONValue) -> JSONValue {
        .object([("__typename", .string("Task"))] + (task.members ?? []))
    }
}

private final class OneBody: BodyReader {
    private let rest: Mutex<[UInt8]?>

    init(_ bytes: [UInt8]) { rest = Mutex(bytes) }

    func read() async throws -> [UInt8]? { rest.withLock { $0.take() } }
}
