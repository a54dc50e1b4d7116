import WireBackends
import WireBase
import WireConfig
import WireHTTP
import WireStore
import WireTelemetry

/// The context of a request to a push server, at the time of the request.
struct PushRequestContext: Sendable {
    let records: PushRecords
    let mailbox: DeviceMailbox
    let account: PushAccount
    let admitted: PushAdmissions.Admitted
    let issuer: Issuer
    /// Serializes changes of records.
    let line: AsyncMutex
    /// Serializes requests with a request id, so that a repetition finds the stored response.
    let repeats: AsyncMutex
    let counts: PushCounts
    let webPush: WebPushSender
    let log: Log

    var machine: SystemServices { issuer.machine }
    var now: JSONValue { .integer(Int(machine.now)) }

    /// Returns the caller with a valid token of the embedded identity server, or nil.
    func bearer(_ request: Request) async throws -> HaloCaller? { try await HaloCaller(request, issuer) }

    /// Whether the request has the application's id and its master secret.
    func isSender(_ request: Request) async throws -> Bool {
        guard let (name, password) = request.basicCredentials else { return false }
        // Both are compared, so that the time reveals nothing.
        let isName = try machine.isSame(name, account.id)
        let isSecret = try await machine.isSame(password, masterSecret().reveal())
        return isName && isSecret
    }

    /// Returns the current secret of the file's application.
    func masterSecret() async throws -> Secret<String> {
        if let declared = account.declaredSecret { return declared }
        guard let kept = try await records.find("application", on: .account)?["secret"]?.string else {
            throw StoreFailure(.sealed, "the master secret of the push servers cannot be read")
        }
        return Secret(kept)
    }

    /// Returns the sender's `Authorization` field.
    func authorization() async throws -> String {
        "Basic " + Base64.text(of: Array("\(account.id):\(try await masterSecret().reveal())".utf8))
    }

    /// Delivers the pushes of one message, each through the transport of its device; returns when all are queued
    /// durably.
    func deliver(
        _ pushes: [DeviceMailbox.PendingPush],
        _ id: String,
        via server: String
    ) async throws -> UnifiedPushSender.Sent {
        let webPushes = try await webPush.send(pushes.filter { $0.provider == WebPushSender.provider })
        let others = pushes.filter { $0.provider != WebPushSender.provider }
        try await mailbox.carry(others)
        let count = others.count + webPushes.devices
        sent(server, id, to: count)
        return UnifiedPushSender.Sent(id: id, devices: count, failure: webPushes.failures.sorted().first)
    }

    func sent(_ server: String, _ id: String, to count: Int) {
        log.notice(
            "a push was sent",
            ["via": .text(server), "id": .text(id), "devices": .integer(count)]
        )
    }
}

/// The application of the services file, with which senders authenticate.
struct PushAccount: Sendable {
    let id: String
    /// The secret in the file, which overrides the stored one.
    let declaredSecret: Secret<String>?

    /// Loads the stored account or creates one; a secret of the file is never stored.
    static func load(_ records: PushRecords, _ machine: SystemServices, masterSecret: Secret<String>?) async throws
        -> Self
    {
        if let kept = try await records.find("application", on: .account), let id = kept["id"]?.string,
            kept["secret"]?.string != nil
        {
            return Self(id: id, declaredSecret: masterSecret)
        }
        let (id, secret) = (try machine.uuid(), try machine.uuid())
        try await records.put(
            .members(["id": .string(id), "secret": .string(secret)]),
            "application",
            on: .account
        )
        return Self(id: id, declaredSecret: masterSecret)
    }
}

extension Request {
    /// The name and password of the field, as in RFC 7617.
    var basicCredentials: (name: String, password: String)? {
        guard let field = fields["Authorization"], field.utf8.count <= 8_192 else { return nil }
        let words = field.split(separator: " ")
        guard words.count == 2, words[0].lowercased() == "basic", let bytes = Base64.bytes(of: String(words[1])),
            let text = String(validating: bytes, as: UTF8.self), let colon = text.firstIndex(of: ":")
        else { return nil }
        return (String(text[..<colon]), String(text[text.index(after: colon)...]))
    }

    /// Returns the requested page and its size.
    func page(upTo most: Int, or size: Int) throws(Problem) -> (number: Int, size: Int) {
        let number = try queryInteger("page", in: 0...1_000_000) ?? 0
        return (number, try queryInteger("per_page", in: 1...most) ?? size)
    }
}

extension Array {
    func page(_ page: (number: Int, size: Int)) -> [Element] {
        Array(dropFirst(page.number * page.size).prefix(page.size))
    }
}
