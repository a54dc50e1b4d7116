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
        let application = try UnifiedPushCatalog(context: context).sender(request)
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
        let variants = try UnifiedPushCatalog(context: context).variants(of: application.id)
        for variant in variants where order.criteria.wants(variant: variant.id) {
            let devices = try registry.list(variant.id).filter { $0.isEnabled && order.criteria.wants($0) }
            switch devices.first?.platform {
            case .ios?: context.counts.count { $0.ios += 1 }
            case .android?: context.counts.count { $0.android += 1 }
            case .webPush?: errors.append(try failure("web push is not supported", variant.id))
            case nil: break
            }
            if !devices.isEmpty { told.append(variant.id) }
            guard let platform = devices.first?.platform, let provider = platform.provider else { continue }
            let payload = order.message.payload(for: platform, id: id)
            guard DeviceMailbox.PendingPush.carries(payload) else {
                errors.append(try failure("PayloadTooLarge", variant.id))
                continue
            }
            for device in devices {
                pendingPushes.append(
                    DeviceMailbox.PendingPush(
                        provider: provider,
                        token: device.token,
                        payload: payload,
                        lifetime: order.lifetime
                    )
                )
            }
        }
        try await UnifiedPushMessages(context: context).keep(id, of: application.id, to: told, request, errors: errors)
        try await context.mailbox.carry(pendingPushes)
        context.sent("ups", id, to: pendingPushes.count)
        return Sent(id: id, devices: pendingPushes.count, failure: errors.first?["errorReason"]?.string)
    }

    private func failure(_ reason: String, _ variant: String) throws -> JSONValue {
        .members([
            "pushMessageVariantId": .string(try context.machine.uuid()), "errorReason": .string(reason),
            "pushJobId": .string(try context.machine.uuid()), "variantID": .string(variant),
        ])
    }
}

extension Installation.Platform {
    /// The embedded provider of the platform.
    fileprivate var provider: String? {
        switch self {
        case .ios: "apns"
        case .android: "firebase"
        case .webPush: nil
        }
    }
}
