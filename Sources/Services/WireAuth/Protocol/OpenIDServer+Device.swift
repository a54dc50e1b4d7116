import WireAuthContract
import WireBase
import WireConfig
import WireHTTP
import WireService

extension OpenIDServer {
    private static var grantType: String { "urn:ietf:params:oauth:grant-type:device_code" }

    /// The maximum lifetime of a code, and pause between polls.
    private static var longestWait: Duration { .seconds(86_400) }
    private static var longestInterval: Duration { .seconds(300) }

    func beginDevice() async throws(SignInFailure) -> PendingDevice {
        let metadata = try await metadata()
        guard let endpoint = metadata.deviceEndpoint else {
            throw SignInFailure(.unsupported, "the server has no device grant (RFC 8628)", setting: .url)
        }
        try await prepare(metadata)
        let form = [("scope", settings.scopes.joined(separator: " "))] + target
        let answer = try await post(form, to: endpoint, metadata)
        guard answer.isSuccess else { throw SignInFailure(answer, on: .device, hiding: secrets(of: form)) }
        return try DeviceAnswer(try answer.object()).pending(
            at: means.clock.monotonic(),
            noLonger: Self.longestWait,
            interval: Self.longestInterval
        )
    }

    func poll(_ pending: inout PendingDevice) async throws(SignInFailure) -> Grant? {
        guard means.clock.monotonic() < pending.ends else {
            throw SignInFailure(.deviceCodeExpired, "the user did not confirm the code in time")
        }
        let form = [("grant_type", Self.grantType), ("device_code", pending.deviceCode.reveal())]
        do throws(SignInFailure) {
            let metadata = try await metadata()
            let tokens = try await tokens(form, on: .device, from: metadata)
            return try await grant(tokens, rules(), metadata)
        } catch {
            switch (error.serverCode, error.kind) {
            case ("authorization_pending", _): break
            // The longer interval stays (RFC 8628, section 3.5).
            case ("slow_down", _): pending.interval = min(pending.interval + .seconds(5), Self.longestInterval)
            // The code stays valid until its expiry, whatever the connection does.
            case (_, .offline), (_, .serverError), (_, .temporarilyUnavailable), (_, .tooManyAttempts):
                let wait = max(pending.interval * 2, error.retryAfter ?? .zero)
                pending.interval = min(wait, Self.longestInterval)
            default: throw error
            }
            return nil
        }
    }
}

/// The response of a device endpoint (RFC 8628, section 3.2).
private struct DeviceAnswer {
    private let body: JSONValue

    init(_ body: JSONValue) throws(SignInFailure) {
        self.body = body
    }

    func pending(
        at now: Duration,
        noLonger longestWait: Duration,
        interval longestInterval: Duration
    ) throws(SignInFailure) -> PendingDevice {
        // Google's name is older than the RFC, and still sent.
        let names = ["verification_uri", "verification_url"]
        guard let name = names.first(where: { body[$0] != nil }), let address = try address(name) else {
            throw failure("'verification_uri' is missing")
        }
        let wait = min(.seconds(try seconds("expires_in") ?? 600), longestWait)
        let interval = min(max(.seconds(try seconds("interval") ?? 5), .seconds(1)), longestInterval)
        return PendingDevice(
            deviceCode: Secret(try text("device_code", upTo: 8 << 10)),
            userCode: try text("user_code", upTo: 64),
            verificationURI: address,
            completeURI: try self.address("verification_uri_complete"),
            ends: now + wait,
            interval: interval
        )
    }

    private func text(_ name: String, upTo limit: Int) throws(SignInFailure) -> String {
        guard let text = body[name]?.string, (1...limit).contains(text.utf8.count),
            text.utf8.allSatisfy({ (0x20...0x7e).contains($0) })
        else { throw failure("'\(name)' is missing, too long, or not plain text") }
        return text
    }

    /// Reads a URL at which the user may enter a password, so it must be https.
    private func address(_ name: String) throws(SignInFailure) -> String? {
        guard let value = body[name] else { return nil }
        if case .null = value { return nil }
        guard let text = value.string, text.utf8.count <= 2_048, let url = try? WebURL(parsing: text),
            url.scheme == "https" || (url.scheme == "http" && url.isLoopback)
        else { throw failure("'\(name)' is not an https URL") }
        return text
    }

    private func seconds(_ name: String) throws(SignInFailure) -> Int? {
        switch body[name] {
        case nil, .null: return nil
        case .integer(let value) where value >= 0: return min(value, 10 * 86_400)
        case .number(let value) where value >= 0: return Int(min(value, 10 * 86_400))
        // Some servers write the number as a string.
        case .string(let text) where !text.isEmpty && text.utf8.allSatisfy(\.isDigit):
            return min(Int(text) ?? .max, 10 * 86_400)
        default: throw failure("'\(name)' is not a number of seconds")
        }
    }

    private func failure(_ reason: String) -> SignInFailure {
        SignInFailure(.wrongAnswer, "the response of the device endpoint: \(reason)")
    }
}
