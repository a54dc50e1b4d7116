import WireBase
import WireConfig
import WireHTTP

/// `POST /rest/sender`: selects the recipients of a message and builds the payloads of the providers.
struct UnifiedPushSender: Sendable {
    let context: PushRequestContext

    /// The result of a message.
    struct Sent: Sendable {
        let id: String
        let devices: Int
        /// The reason for which some or all devices got nothing.
        var failure: String?
    }

    /// Returns when the message is queued durably.
    func send(_ request: Request) async throws -> Sent {
        let application = try await UnifiedPushCatalog(context: context).sender(request)
        context.counts.count { $0.requests += 1 }
        do {
            return try await sendOut(request, of: application)
        } catch {
            context.counts.count { $0.failures += 1 }
            throw error
        }
    }

    private func sendOut(_ request: Request, of application: PushApplication) async throws -> Sent {
        let order = try UnifiedPushRegistry.json(request, UnifiedPushOrder.init)
        let id = try context.machine.uuid()
        let registry = UnifiedPushRegistry(context: context)
        var pendingPushes: [DeviceMailbox.PendingPush] = []
        var errors: [JSONValue] = []
        var told: [String] = []
        var webPushes = 0
        let variants = try await UnifiedPushCatalog(context: context).variants(of: application.id)
        for variant in variants where order.criteria.wants(variant: variant.id) {
            let devices = try await registry.list(variant.id).filter { $0.isEnabled && order.criteria.wants($0) }
            switch devices.first?.platform {
            case .ios?: context.counts.count { $0.ios += 1 }
            case .android?: context.counts.count { $0.android += 1 }
            case .webPush?, nil: break
            }
            if !devices.isEmpty { told.append(variant.id) }
            guard let platform = devices.first?.platform else { continue }
            let payload = order.message.payload(for: platform, id: id)
            guard DeviceMailbox.PendingPush.carries(payload) else {
                errors.append(try failure("PayloadTooLarge", variant.id))
                continue
            }
            let pushes = devices.map { device in
                DeviceMailbox.PendingPush(
                    provider: platform.provider,
                    token: device.token,
                    payload: payload,
                    lifetime: order.lifetime
                )
            }
            guard platform == .webPush else {
                pendingPushes += pushes
                continue
            }
            let sent = try await context.webPush.send(pushes)
            webPushes += sent.devices
            errors += try sent.failures.sorted().map { try failure($0, variant.id) }
        }
        try await UnifiedPushMessages(context: context).keep(id, of: application.id, to: told, request, errors: errors)
        try await context.mailbox.carry(pendingPushes)
        let count = pendingPushes.count + webPushes
        context.sent("ups", id, to: count)
        return Sent(id: id, devices: count, failure: errors.first?["errorReason"]?.string)
    }

    private func failure(_ reason: String, _ variant: String) throws -> JSONValue {
        .members([
            "pushMessageVariantId": .string(try context.machine.uuid()), "errorReason": .string(reason),
            "pushJobId": .string(try context.machine.uuid()), "variantID": .string(variant),
        ])
    }
}

extension Installation.Platform {
    fileprivate var provider: String {
        switch self {
        case .ios: "apns"
        case .android: "firebase"
        case .webPush: WebPushSender.provider
        }
    }
}
