import WireBackends
import WireBase
import WireConfig
import WireHTTP

/// One operation of a batch, with its list and its position in the list.
struct BatchOperation: Sendable {
    enum Work: Sendable {
        case create(InstanceDraft)
        case update(InstanceDraft)
        case createOrUpdate(InstanceDraft)
        case delete(String)
        case truncate(String)
        /// An operation that cannot be parsed.
        case flawed(HaloError)
    }

    let name: String
    let position: Int
    let work: Work

    /// The largest number of operations in a batch.
    private static let limit = 1_000

    /// Reads all operations of a request, in the order of their execution.
    ///
    /// An invalid operation fails alone; the others are executed.
    static func read(_ request: Request) throws(Problem) -> [BatchOperation] {
        let operations = try request.json { members throws(Problem) in
            try items("truncated", &members) { item throws(HaloError) in .truncate(try Self.text("module", of: item)) }
                + items("created", &members) { item throws(HaloError) in .create(try draft(item)) }
                + items("updated", &members) { item throws(HaloError) in .update(try draft(item)) }
                + items("createdOrUpdated", &members) { item throws(HaloError) in .createOrUpdate(try draft(item)) }
                + items("deleted", &members) { item throws(HaloError) in .delete(try Self.text("id", of: item)) }
        }
        return operations
    }

    private static func items(
        _ name: String,
        _ members: inout JSONMembers,
        _ read: (JSONValue) throws(HaloError) -> Work
    ) throws(Problem) -> [BatchOperation] {
        guard let value = try members.value(name), !value.isNull else { return [] }
        guard let items = value.array else { throw members.failure("expected an array", name) }
        guard items.count <= limit else { throw members.failure("expected \(limit) operations at most", name) }
        return items.enumerated().map { position, item in
            do throws(HaloError) {
                return BatchOperation(name: name, position: position, work: try read(item))
            } catch {
                return BatchOperation(name: name, position: position, work: .flawed(error))
            }
        }
    }

    private static func text(_ name: String, of item: JSONValue) throws(HaloError) -> String {
        guard let text = item[name]?.string else { throw .invalid(name, "required") }
        return text
    }

    private static func draft(_ item: JSONValue) throws(HaloError) -> InstanceDraft {
        var request = Request.empty
        request.body = item.bytes()
        return try HaloError.rethrowing(try request.json(InstanceDraft.read))
    }
}

/// The result of an operation.
struct BatchOutcome: Sendable {
    let json: JSONValue

    init(_ operation: BatchOperation, _ data: JSONValue) {
        json = Self.json(operation, isDone: true, data)
    }

    init(_ operation: BatchOperation, _ error: HaloError) {
        let error = JSONValue.members([
            "status": .integer(error.status.code), "message": .string(error.message), "extra": .object(error.extra),
        ])
        json = Self.json(operation, isDone: false, .members(["error": error]))
    }

    private static func json(_ operation: BatchOperation, isDone: Bool, _ data: JSONValue) -> JSONValue {
        .members([
            "operation": .string(operation.name), "position": .integer(operation.position),
            "success": .boolean(isDone), "data": data,
        ])
    }
}

extension Request {
    /// An empty request, to read a part of another request as a body.
    static let empty: Request = {
        guard let target = Target(parsing: "/") else { preconditionFailure("'/' is a path") }
        return Request(method: .post, target: target, fields: [:], caller: .address(""))
    }()
}
