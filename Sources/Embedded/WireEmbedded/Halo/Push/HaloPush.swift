import WireBackends
import WireBase
import WireConfig
import WireHTTP
import WireStore

/// The pushes of HALO: `api/push/schedule/` sends, `api/push/schedule/activity` receives the results.
struct HaloPush: Sendable {
    let context: PushRequestContext
    let devices: HaloRecords

    typealias Sent = UnifiedPushSender.Sent

    // MARK: Sending

    func schedule(_ request: Request) async throws -> HaloSchedule {
        var schedule = try request.json { members throws(Problem) in try HaloSchedule(&members) }
        schedule.id = try EnvironmentContent.newID(context.machine)
        schedule.created = Int(context.machine.now)
        for provider in ["apns", "firebase", "huawei"] {
            guard DeviceMailbox.PendingPush.carries(schedule.payload(for: provider)) else {
                throw HaloError.invalid("payload", "expected \(DeviceMailbox.PendingPush.limit) bytes at most")
            }
        }
        if let time = schedule.sendOn, time > schedule.created {
            try await keep(schedule)
            return schedule
        }
        return try await send(schedule)
    }

    /// Sends the schedules that are due; returns the time of the next one in milliseconds since 1970.
    func sendDue() async throws -> Int? {
        let waiting = try await context.records.all(on: .schedules).compactMap(HaloSchedule.init)
            .filter { $0.state == .scheduled }
            .sorted { ($0.sendOn ?? 0, $0.id) < ($1.sendOn ?? 0, $1.id) }
        for schedule in waiting {
            guard let time = schedule.sendOn, time > Int(context.machine.now) else {
                _ = try await send(schedule)
                continue
            }
            return time
        }
        return nil
    }

    private func send(_ schedule: HaloSchedule) async throws -> HaloSchedule {
        var schedule = schedule
        var pendingPushes: [DeviceMailbox.PendingPush] = []
        var known: Set<String> = []
        for device in try await devices.all(on: .devices) where schedule.wants(device) {
            for entry in device["devices"]?.array ?? [] {
                guard let platform = entry["platform"]?.string, let token = entry["token"]?.string, !token.isEmpty,
                    known.insert("\(platform)\n\(token)").inserted
                else { continue }
                let provider = HaloSchedule.provider(platform, token)
                let payload = schedule.payload(for: provider)
                pendingPushes.append(DeviceMailbox.PendingPush(provider: provider, token: token, payload: payload))
            }
        }
        (schedule.state, schedule.devices) = (.sent, pendingPushes.count)
        // If the program ends in between, the push is sent twice and not lost.
        try await context.mailbox.carry(pendingPushes)
        try await keep(schedule)
        context.sent("halo", schedule.id, to: pendingPushes.count)
        return schedule
    }

    private func keep(_ schedule: HaloSchedule) async throws {
        try await context.records.put(schedule.json, schedule.id, on: .schedules)
    }

    // MARK: Results

    enum Action: String, Sendable, CaseIterable { case receipt, open, dismiss }

    /// Records an action of a device; a repeated report counts once.
    func activity(_ request: Request) async throws -> Response {
        let order = try request.json { members throws(Problem) in
            let action = try members.word("action", as: Action.self)
            guard let action else { throw members.failure("'action' is missing", "action") }
            return (
                platform: try members.textIfAny("platform") ?? "", schedule: try members.text("schedule"),
                device: try members.text("device"), action: action
            )
        }
        guard order.device.utf8.count <= 256, order.platform.utf8.count <= 64 else {
            throw HaloError.invalid("device", "expected 256 bytes at most")
        }
        guard HaloModule.isID(order.schedule), try await context.records.find(order.schedule, on: .schedules) != nil
        else {
            throw HaloError.missing("PushSchedule", order.schedule)
        }
        let key = try context.machine.key("\(order.schedule)\n\(order.device)\n\(order.action.rawValue)")
        return try await context.line.alone {
            if let known = try await context.records.find(key, on: .activity) { return .json(known) }
            let json = JSONValue.members([
                "id": .string(String(key.prefix(24))), "platform": .string(order.platform),
                "schedule": .string(order.schedule), "device": .string(order.device),
                "action": .string(order.action.rawValue), "createdAt": context.now,
            ])
            try await context.records.put(json, key, on: .activity)
            return .json(json)
        }
    }
}
