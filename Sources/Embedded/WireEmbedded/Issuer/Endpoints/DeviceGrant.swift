import WireBackendContract
import WireBase
import WireConfig
import WireHTTP
import WireSecrets
import WireService
import WireStore

/// Sign-in for devices without a browser (RFC 8628): the device's endpoints and the user's page.
struct DeviceGrant: Sendable {
    let context: RealmRequest

    private static let lifetime = 600
    /// Letters without look-alikes and vowels.
    private static let letters = Array("BCDFGHJKLMNPQRSTVWXZ")

    // MARK: Device

    func begin(_ request: Request) async throws -> Response {
        let form = try Parameters.form(request)
        let client = try context.authenticate(request, form)
        let (code, userCode) = (try context.machine.secret(), try Self.userCode(context.machine))
        let ends = context.machine.now + Int64(Self.lifetime) * 1_000
        let record = DeviceRecord(realm: context.realm, client: client.id, scopes: try form.scopes(), expires: ends)
        // Stored a little longer, so that the device learns of the expiry.
        let id = try context.machine.digest(code)
        try await context.records.put(record, id, until: ends + 600_000)
        let note = UserCode(id)
        guard try await context.records.put(note, try context.machine.digest(userCode), until: ends, if: .absent) else {
            throw OAuthError.unavailable
        }
        let page = "\(context.issuer)/device"
        return .tokens(
            .members([
                "device_code": .string(code), "user_code": .string(Self.shown(userCode)),
                "verification_uri": .string(page),
                "verification_uri_complete": .string("\(page)?user_code=\(Self.shown(userCode))"),
                "expires_in": .integer(Self.lifetime), "interval": .integer(record.interval),
            ])
        )
    }

    func redeem(_ form: Parameters, _ client: EmbeddedClient) async throws -> JSONValue {
        guard let code = form["device_code"] else { throw OAuthError.invalidRequest("device_code is missing") }
        let id = try context.machine.digest(code)
        guard var kept = try await context.records.find(id, DeviceRecord.self), kept.record.realm == context.realm,
            kept.record.client == client.id
        else { throw OAuthError.invalidGrant("Device code not valid") }
        guard kept.record.expires > context.machine.now else {
            throw OAuthError("expired_token", "Device code is expired")
        }
        let wait = kept.record.asked + Int64(kept.record.interval) * 1_000 - context.machine.now
        let isEarly = kept.record.asked > 0 && wait > 0
        switch kept.record.decision {
        case .denied: throw OAuthError("access_denied", "The end user denied the authorization request")
        case .allowed where !isEarly: return try await tokens(kept, id, client)
        case .allowed, .pending:
            if isEarly { kept.record.interval = min(600, kept.record.interval + 5) }
            kept.record.asked = context.machine.now
            // If the user has decided in between, the next poll returns the result.
            try await context.records.put(kept.record, id, until: kept.ends, if: .version(kept.version))
            throw isEarly
                ? OAuthError("slow_down", "Slow down")
                : OAuthError("authorization_pending", "The authorization request is still pending")
        }
    }

    private func tokens(_ kept: IssuerRecords.Kept<DeviceRecord>, _ id: String, _ client: EmbeddedClient) async throws
        -> JSONValue
    {
        let device = kept.record
        guard try await context.records.remove(DeviceRecord.self, id, if: .version(kept.version)) else {
            throw OAuthError.invalidGrant("Device code not valid")
        }
        guard let user = device.user, let session = device.session,
            let (grantID, grant) = try await context.grant(
                client,
                user: user,
                scopes: device.scopes,
                session: session,
                authTime: device.authTime
            )
        else { throw OAuthError.unavailable }
        if let flaw = try await context.flaw(of: grant) { throw OAuthError.invalidGrant(flaw) }
        return try await context.tokens(RealmRequest.Answer(grant: grant, id: grantID, scopes: device.scopes))
    }

    // MARK: User

    private var action: String { "\(context.path)device" }

    func page(_ request: Request) async throws -> Response {
        let typed = request.target.query.filter { $0.name == "user_code" }
        guard let text = typed.first?.value, typed.count == 1 else {
            return Page.userCode(action: action, complaint: nil).response(context.looks)
        }
        guard let found = try await find(text) else { return unknown }
        return try await ask(request, found, name: "")
    }

    func decide(_ request: Request) async throws -> Response {
        let form: Parameters
        do throws(Fault) {
            form = try Parameters(form: request)
        } catch {
            return Page.failure(error.reason).response(context.looks)
        }
        guard let found = try await find(form["user_code"] ?? "") else { return unknown }
        guard try context.isOwn(request, form, "device \(found.code)") else {
            return Page.failure("the page was opened in another browser or has expired", status: .forbidden)
                .response(context.looks)
        }
        guard form["decision"] == "allow" else { return try await settle(found, .denied) }
        if let session = try await context.session(of: request) {
            return try await settle(found, .allowed, session.id, session.record)
        }
        return try await signIn(request, found, form)
    }

    private func signIn(_ request: Request, _ found: Found, _ form: Parameters) async throws -> Response {
        let name = form["username"] ?? ""
        let admission: RealmRequest.Admission
        if context.settings.signsInByItself, let user = context.settings.firstUser {
            admission = .user(user)
        } else {
            admission = try context.admit(name, form["password"] ?? "")
        }
        switch admission {
        case .user(let user):
            let session = try await context.beginSession(user)
            return try await settle(found, .allowed, session.id, session.record, cookies: [session.cookie])
        case .blocked:
            _ = try await settle(found, .denied)
            return Page.blocked(found.kept.record.client, next: nil).response(context.looks)
        case .wrong: return try await ask(request, found, name: name, complaint: "Invalid username or password.")
        case .wait(let seconds):
            let complaint = "Too many wrong passwords. Wait \(seconds) s and try again."
            return try await ask(request, found, name: name, complaint: complaint, status: .tooManyRequests)
        }
    }

    /// A waiting device, found by the code that the user typed.
    private struct Found {
        let code: String
        let id: String
        let kept: IssuerRecords.Kept<DeviceRecord>
    }

    private func find(_ text: String) async throws -> Found? {
        let code = String(text.uppercased().filter { Self.letters.contains($0) })
        guard code.count == 8,
            let note = try await context.records.find(context.machine.digest(code), UserCode.self),
            let kept = try await context.records.find(note.record.text, DeviceRecord.self),
            kept.record.realm == context.realm,
            kept.record.decision == .pending, kept.record.expires > context.machine.now
        else { return nil }
        return Found(code: code, id: note.record.text, kept: kept)
    }

    private var unknown: Response {
        Page.userCode(action: action, complaint: "The code is unknown or has expired.", status: .badRequest)
            .response(context.looks)
    }

    private func ask(
        _ request: Request,
        _ found: Found,
        name: String,
        complaint: String? = nil,
        status: Status = .ok
    ) async throws -> Response {
        let form = try context.form(for: request)
        let automatic = context.settings.signsInByItself ? context.settings.firstUser?.name : nil
        return Page.device(
            found.kept.record.client,
            code: Self.shown(found.code),
            action: action,
            token: try context.formToken(form.value, "device \(found.code)"),
            user: try await context.session(of: request)?.record.user ?? automatic,
            name: name,
            complaint: complaint,
            status: status
        ).response(context.looks, cookies: form.cookies)
    }

    /// Stores the decision, retrying while the device polls in between.
    private func settle(
        _ found: Found,
        _ decision: DeviceRecord.Decision,
        _ sessionID: String? = nil,
        _ session: SessionRecord? = nil,
        cookies: [String] = []
    ) async throws -> Response {
        var isSettled = false
        try await context.records.edit(found.id, newUntil: found.kept.ends) { (device: inout DeviceRecord?) in
            isSettled = device?.decision == .pending
            guard isSettled, var decided = device else { return }
            (decided.decision, decided.session) = (decision, sessionID)
            (decided.user, decided.authTime) = (session?.user, session?.authTime ?? 0)
            device = decided
        }
        guard isSettled else { return unknown }
        try await context.records.remove(UserCode.self, context.machine.digest(found.code))
        let page =
            decision == .allowed
            ? Page.notice("The device is connected", "You can close this page.")
            : Page.notice("The device was denied", "Access was not granted. You can close this page.")
        return page.response(context.looks, cookies: cookies)
    }

    // MARK: Codes

    /// Returns eight letters, uniformly distributed.
    private static func userCode(_ machine: SystemServices) throws -> String {
        var code = ""
        while code.count < 8 {
            for byte in try machine.secrecy.random(16) where byte < 240 && code.count < 8 {
                code.append(letters[Int(byte) % letters.count])
            }
        }
        return code
    }

    private static func shown(_ code: String) -> String { "\(code.prefix(4))-\(code.dropFirst(4))" }
}
