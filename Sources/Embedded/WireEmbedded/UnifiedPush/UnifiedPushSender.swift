import WireBase
import WireConfig
import WireHTTP

/// `POST /rest/sender`: selects the recipients of a message and builds the payloads of the providers.
struct UnifiedPushSender: Sendable {
    let desk: PushRequestContext

    /// The result of a message.
    struct Sent: Sendable {
        let id: String
        let devices: Int
        /// The reason for which some or all devices got nothing.
        var failure: String?
    }

    /// Returns when the message is queued durably.
    func send(_ request: Request) async throws -> Sent {
        let application = try UnifiedPushCatalog(desk: desk).sender(request)
        desk.counts.count { $0.requests += 1 }
        do {
            return try await sendOut(request, of: application)
        } catch {
            desk.counts.count { $0.failures += 1 }
            throw error
        }
    }

    private func sendOut(_ request: Request, of application: PushApplication) async throws -> Sent {
        let order = try UnifiedPushRegistry.json(request, UnifiedPushOrder.init)
        let id = try desk.machine.uuid()
        let registry = UnifiedPushRegistry(desk: desk)
        var parcels: [DeviceMailbox.Parcel] = []
        var errors: [JSONValue] = []
        var told: [String] = []
        let variants = try UnifiedPushCatalog(desk: desk).variants(of: application.id)
        for variant in variants where order.criteria.wants(variant: variant.id) {
            let devices = try registry.list(variant.id).filter { $0.isEnabled && order.criteria.wants($0) }
            switch devices.first?.platform {
            case .ios?: desk.counts.count { $0.ios += 1 }
            case .android?: desk.counts.count { $0.android += 1 }
            case .webPush?: errors.append(try failure("web push is not supported", variant.id))
            case nil: break
            }
            if !devices.isEmpty { told.append(variant.id) }
            guard let platform = devices.first?.platform, let provider = platform.provider else { continue }
            let payload = order.message.payload(for: platform, id: id)
            guard DeviceMailbox.Parcel.carries(payload) else {
                errors.append(try failure("PayloadTooLarge", variant.id))
                continue
            }
            for device in devices {
                parcels.append(
                    DeviceMailbox.Parcel(
                        provider: provider,
                        token: device.token,
                        payload: payload,
                        lifetime: order.lifetime
                    )
                )
            }
        }
        try await UnifiedPushMessages(desk: desk).keep(id, of: application.id, to: told, request, errors: errors)
        try await desk.courier.carry(parcels)
        desk.sent("ups", id, to: parcels.count)
        return Sent(id: id, devices: parcels.count, failure: errors.first?["errorReason"]?.string)
    }

    private func failure(_ reason: String, _ variant: String) throws -> JSONValue {
        .members([
            "pushMessageVariantId": .string(try desk.machine.uuid()), "errorReason": .string(reason),
            "pushJobId": .string(try desk.machine.uuid()), "variantID": .string(variant),
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
