import WireBackends
import WireBase
import WireConfig
import WireHTTP
import WireStore
import WireTelemetry

/// Everything a request to a push server needs, as it is at the moment it comes.
struct PushDesk: Sendable {
    let records: PushRecords
    let courier: Courier
    let account: PushAccount
    let admitted: PushAdmissions.Admitted
    let issuer: Issuer
    /// Who changes what is kept does it alone.
    let line: Turnstile
    /// Who asks with an id of a request does it alone, so that a repetition meets what was answered.
    let repeats: Turnstile
    let counts: PushCounts
    let log: Log

    var machine: Machine { issuer.machine }
    var now: JSONValue { .integer(Int(machine.now)) }

    /// The caller by a token of the identity server built in; nil where there is none that holds.
    func bearer(_ request: Request) throws -> HaloCaller? { try HaloCaller(request, issuer) }

    /// Whether somebody shows the application's id and its master secret.
    func isSender(_ request: Request) throws -> Bool {
        guard let (name, password) = request.basicCredentials else { return false }
        // Both are looked at, so that the time tells nothing.
        let isName = try machine.isSame(name, account.id)
        let isSecret = try machine.isSame(password, masterSecret().reveal())
        return isName && isSecret
    }

    /// The present secret of the application that stands for the file.
    func masterSecret() throws -> Secret<String> {
        if let declared = account.declaredSecret { return declared }
        guard let kept = try records.find("application", on: .account)?["secret"]?.string else {
            throw StoreFailure(.sealed, "the master secret of the push servers cannot be read")
        }
        return Secret(kept)
    }

    /// As its sender shows itself.
    func authorization() throws -> String {
        "Basic " + Base64.text(of: Array("\(account.id):\(try masterSecret().reveal())".utf8))
    }

    func sent(_ server: String, _ id: String, to count: Int) {
        log.notice(
            "a push was sent",
            ["via": .text(server), "id": .text(id), "devices": .integer(count)]
        )
    }
}

/// The application that stands for the services file, for whoever sends to its devices.
struct PushAccount: Sendable {
    let id: String
    /// The secret the file says; what is kept is of no account then.
    let declaredSecret: Secret<String>?

    /// The one that is kept, or a new one; a secret of the file is never kept.
    static func load(_ records: PushRecords, _ machine: Machine, masterSecret: Secret<String>?) async throws -> Self {
        if let kept = try records.find("application", on: .account), let id = kept["id"]?.string,
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
    /// A name and a password as RFC 7617 has them.
    var basicCredentials: (name: String, password: String)? {
        guard let field = fields["Authorization"], field.utf8.count <= 8_192 else { return nil }
        let words = field.split(separator: " ")
        guard words.count == 2, words[0].lowercased() == "basic", let bytes = Base64.bytes(of: String(words[1])),
            let text = String(validating: bytes, as: UTF8.self), let colon = text.firstIndex(of: ":")
        else { return nil }
        return (String(text[..<colon]), String(text[text.index(after: colon)...]))
    }

    /// The page asked for, and how large it is.
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
