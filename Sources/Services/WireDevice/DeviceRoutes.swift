import WireBase
import WireConfig
import WireDeviceContract
import WireHTTP

/// The local API of the device, shared with code in the same process.
struct DeviceRoutes: RouteGroup {
    private let service: DeviceService

    init(_ service: DeviceService) { self.service = service }

    static let table: [RouteEntry<Self>] = [
        .call(DeviceCalls.show, atOnce: DeviceRoutes.show),
        .call(DeviceCalls.change, by: DeviceRoutes.change),
        .call(DeviceCalls.remove, by: DeviceRoutes.remove),
        .call(DeviceCalls.register, by: DeviceRoutes.register),
        .call(DeviceCalls.tag, by: DeviceRoutes.tag),
        .call(DeviceCalls.untag, by: DeviceRoutes.untag),
    ]

    private func show(_ request: APIRequest<NoInput>) throws(DeviceFailure) -> APIReply<DeviceReport> {
        APIReply(service.report)
    }

    private func change(_ request: APIRequest<DeviceChange>) async throws(DeviceFailure) -> APIReply<DeviceReport> {
        var change = request.input
        if case .null = change.alias { change.alias = .value(try await service.newAlias()) }
        return try await changed { [change] device in change.apply(to: &device) }
    }

    private func tag(_ request: APIRequest<DeviceTagging>) async throws(DeviceFailure) -> APIReply<DeviceReport> {
        let tag = DeviceTag(request.name, request.value)
        try refuseSystemTag(tag.name)
        return try await changed { $0.addTags([tag]) }
    }

    private func untag(_ request: APIRequest<DeviceTagName>) async throws(DeviceFailure) -> APIReply<DeviceReport> {
        let name = request.name
        let tags = service.device.tags
        guard tags.contains(where: { $0.name == name }) else {
            let nearest = Nearest.name(to: name, among: tags.map(\.name)).map { ", did you mean '\($0)'?" }
            throw DeviceFailure(.unknownTag, "unknown tag \(name.quoted)\(nearest ?? "")")
        }
        try refuseSystemTag(name)
        return try await changed { $0.removeTags([name]) }
    }

    /// Rejects a change of a system tag, which is detected again at each start.
    private func refuseSystemTag(_ name: String) throws(DeviceFailure) {
        guard service.device.tags.contains(where: { $0.name == name && $0.kind == .system }) else { return }
        throw DeviceFailure(.declared, "the tag \(name.quoted) is a system tag, set by corewire")
    }

    private func remove(_ request: APIRequest<NoInput>) async throws(DeviceFailure) -> APIReply<Nothing> {
        try await service.remove()
        return .done
    }

    private func register(_ request: APIRequest<NoInput>) async throws(DeviceFailure) -> APIReply<DeviceReport> {
        try await service.register()
        return APIReply(service.report)
    }

    private func changed(
        _ change: @escaping @Sendable (inout KnownDevice) -> Void
    ) async throws(DeviceFailure) -> APIReply<DeviceReport> {
        try await service.change(change)
        return APIReply(service.report)
    }
}

extension DeviceChange {
    fileprivate func apply(to device: inout KnownDevice) {
        if let alias = alias?.value { device.alias = alias }
        if let email { device.email = email.value }
        let tags = tags?.entries ?? []
        device.removeTags(tags.filter { $0.value.value == nil }.map(\.name))
        device.addTags(tags.compactMap { tag in tag.value.value.map { DeviceTag(tag.name, $0) } })
        for token in tokens?.entries ?? [] { device.setToken(token.value.value, of: token.name) }
    }
}

extension DeviceReport {
    init(_ record: DeviceRecord, _ rule: RegistrationRule) {
        let (registration, reason) = Self.registration(of: record, rule)
        self.init(record.device, registration, because: reason)
        (since, saved, revision) = (record.since, record.savedAt, record.revision)
    }

    private static func registration(of record: DeviceRecord, _ rule: RegistrationRule) -> (Registration, String?) {
        if rule == .never { return (.never, nil) }
        if record.isRemoved { return (.removed, "the device was removed and not registered again") }
        if record.isSaved { return (.registered, nil) }
        if let refusal = record.refusal, record.refused == record.revision { return (.refused, refusal) }
        if rule == .onRequest {
            let isNew = record.device.id == nil
            return (.onRequest, isNew ? "it was never registered" : "it has changed since it was saved")
        }
        return (.pending, "the request is queued: run 'corewire outbox list' to see why")
    }
}
