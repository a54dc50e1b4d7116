import WireBase
import WireConfig
import WireHTTP
import WireNetworkContract
import WireService
import WireWorkContract

/// Validates a request when it is posted, while its caller can still react.
struct OutboxCheck {
    private let queue: QueueLimits
    private let places: Places
    /// Nil where the network service does not run.
    private let requests: (any ServerClient)?

    init(_ queue: QueueLimits, _ host: BackgroundHost) {
        (self.queue, places, requests) = (queue, host.places, host.uses.requests)
    }

    static let idLength = NewOutboxRequest.idLength
    static let laneLength = NewOutboxRequest.laneLength
    static let mostFields = 100
    static let fieldSize = ByteCount.kibibytes(32)
    static let addressLength = 8_000
    /// The words of the API's paths that are no ids.
    private static let reserved = OutboxPart.operations.words(below: "/v1/outbox")

    func check(_ request: OutboxRequest, id: String) throws(OutboxFailure) {
        try check(id: id)
        try check(lane: request.lane)
        try check(request.method)
        try check(address: request.address)
        try checkTarget(of: request, id: id)
        try check(request.fields)
        if let name = request.idField { try check(name: name) }
        guard request.body.count <= queue.maxBodySize.bytes else {
            throw OutboxFailure(
                .invalid,
                "the body has \(request.body.count) bytes, expected at most \(queue.maxBodySize)",
                help: "background.queue.maxBodySize is the limit",
                origin: places.origin(of: queue.$maxBodySize, "background.queue.maxBodySize")
            )
        }
        if let attempts = request.attempts, !(1...1_000).contains(attempts) {
            throw OutboxFailure(.invalid, "found \(attempts) attempts, expected 1 to 1000")
        }
        if let maxAge = request.maxAge, maxAge < .seconds(1) || maxAge > .seconds(365 * 86_400) {
            throw OutboxFailure(.invalid, "found an age of \(maxAge.literal.plainText), expected 1s to 365d")
        }
    }

    private func check(id: String) throws(OutboxFailure) {
        let isPrintable = id.utf8.allSatisfy { (0x21...0x7e).contains($0) && $0 != UInt8(ascii: "/") }
        guard (1...Self.idLength).contains(id.utf8.count), isPrintable, id != ".", id != ".." else {
            throw OutboxFailure(
                .invalid,
                "found the id \(id.quoted), expected 1 to \(Self.idLength) visible ASCII characters without '/'"
            )
        }
        guard !Self.reserved.contains(id) else {
            throw OutboxFailure(.invalid, "found the id \(id.quoted), which the API uses itself; expected another")
        }
    }

    func check(lane: String) throws(OutboxFailure) {
        let isText = !lane.unicodeScalars.contains(where: \.isUnfitForDisplay)
        guard (1...Self.laneLength).contains(lane.utf8.count), isText else {
            throw OutboxFailure(
                .invalid,
                "found the lane \(lane.quoted), expected 1 to \(Self.laneLength) bytes without control characters"
            )
        }
    }

    private func check(_ method: Method) throws(OutboxFailure) {
        let isToken = !method.name.isEmpty && method.name.utf8.count <= 32 && method.name.utf8.allSatisfy(\.isTokenByte)
        guard isToken, !method.isSafe, method.name != "CONNECT" else {
            throw OutboxFailure(
                .invalid,
                "found the method \(method.name.quoted), expected a method that is not safe, such as POST",
                help: method.isSafe ? "send a safe request directly, without the outbox" : nil
            )
        }
    }

    // MARK: The target

    private func check(address: String) throws(OutboxFailure) {
        guard !address.isEmpty, address.utf8.count <= Self.addressLength else {
            throw OutboxFailure(
                .invalid,
                "found an address of \(address.utf8.count) bytes, expected 1 to \(Self.addressLength)"
            )
        }
    }

    /// Checks the target, unless a service completes the request: then only that service knows the target.
    private func checkTarget(of request: OutboxRequest, id: String) throws(OutboxFailure) {
        let call = try request.call(id: id)
        guard let requests, !request.needsDelegate else { return }
        do throws(CallFailure) {
            _ = try requests.target(of: call)
        } catch {
            throw OutboxFailure(.invalid, error.reason, help: error.help, origin: error.origin)
        }
    }

    // MARK: Fields

    private func check(_ fields: Fields) throws(OutboxFailure) {
        guard fields.all.count <= Self.mostFields else {
            throw OutboxFailure(.invalid, "found \(fields.all.count) fields, expected at most \(Self.mostFields)")
        }
        let size = fields.all.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count }
        guard size <= Self.fieldSize.bytes else {
            throw OutboxFailure(.invalid, "the fields have \(size) bytes, expected at most \(Self.fieldSize)")
        }
        for field in fields.all {
            try check(name: field.name)
            // A line break would begin another field.
            guard field.value.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7f || $0 == 0x09 }) else {
                throw OutboxFailure(.invalid, "the field \(field.name.quoted) has a control character, expected none")
            }
        }
    }

    private func check(name: String) throws(OutboxFailure) {
        guard !name.isEmpty, name.utf8.count <= 128, name.utf8.allSatisfy(\.isTokenByte) else {
            throw OutboxFailure(.invalid, "found the field \(name.quoted), expected letters, digits and '-'")
        }
        guard !Self.ofConnections.contains(where: { $0.isSameField(as: name) }) else {
            throw OutboxFailure(.invalid, "found the field \(name.quoted), which connections set themselves")
        }
    }

    private static let ofConnections = [
        "Connection", "Content-Length", "Expect", "Host", "Keep-Alive", "Proxy-Authorization", "Proxy-Connection", "TE",
        "Trailer", "Transfer-Encoding", "Upgrade",
    ]
}

extension OutboxRequest {
    /// The request of each attempt.
    func call(id: String) throws(OutboxFailure) -> ServerCall {
        let destination: ServerCall.Destination
        do throws(Fault) {
            destination = try .init(parsing: address)
        } catch {
            throw OutboxFailure(.invalid, error.reason, help: error.help)
        }
        var call = ServerCall(method, destination, from: service)
        call.fields = fields
        // A service may know its request by another id.
        if let name = idField, call.fields[name] == nil { call.fields[name] = id }
        call.body = body.isEmpty ? .none : .bytes(body)
        (call.authorization, call.tokenRights) = (authorization, tokenRights)
        // The outbox retries, and records each attempt.
        call.retries = 0
        call.secretInPath = secretInPath
        call.deadline = Self.deadline
        call.waitsForNetwork = false
        call.isRepeatable = idField != nil
        call.redirects = .unchanged
        return call
    }

    private static let deadline = Duration.seconds(300)
}
