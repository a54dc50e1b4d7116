import WireBase
import WireConfig
import WirePushContract
import WireSecrets
import WireStore

/// Sends messages to devices whose subscriptions are of the embedded autopush server.
struct WebPushSender: Sendable {
    /// The autopush server; nil before it has started.
    let autopush: AutopushMailboxes?
    /// Encrypts messages; nil where the program cannot.
    let crypto: (any WebPushCrypto)?

    /// The provider of such devices.
    static let provider = "webPush"

    struct Sent: Sendable {
        var devices = 0
        /// The reasons for which devices got nothing.
        var failures: Set<String> = []
    }

    /// Four weeks, as for other kinds of devices.
    private static let usualLifetime = 28 * 86_400

    func send(_ pushes: [DeviceMailbox.PendingPush]) async throws -> Sent {
        var sent = Sent()
        for push in pushes {
            do {
                try await send(push.payload.bytes(), to: push.token, lifetime: push.lifetime ?? Self.usualLifetime)
                sent.devices += 1
            } catch let error as EmbeddedError {
                sent.failures.insert(error.reason)
            } catch let fault as Fault {
                sent.failures.insert(fault.reason)
            } catch let failure as StoreFailure {
                sent.failures.insert(failure.reason)
            }
        }
        return sent
    }

    private func send(_ message: [UInt8], to token: String, lifetime: Int) async throws {
        guard let autopush, let crypto else { throw Fault("this program has no web push") }
        guard let subscription = WebPushSubscription(token: token),
            let publicKey = Base64URL.bytes(of: subscription.keys.publicKey),
            let auth = Base64URL.bytes(of: subscription.keys.auth)
        else { throw Fault("the subscription is invalid") }
        guard let endpoint = try await autopush.endpoint(at: subscription.endpoint) else {
            throw Fault("the endpoint is not one of the embedded push service")
        }
        let body = try crypto.encrypt(message, for: publicKey, auth: auth)
        guard body.count <= AutopushMessage.largestBody else { throw Fault("PayloadTooLarge") }
        _ = try await autopush.accept(AutopushMessage(body, to: endpoint.channel, lifetime: lifetime), for: endpoint)
    }
}
