import WireBase
import WireConfig
import WireHTTP
import WireNetworkContract
import WireNotificationContract
import WireService
import WireStore
import WireTelemetry

/// Reads a stream of the file for the signed-in user.
///
/// After a disconnect it reconnects with backoff and resumes after the last stored event.
struct StreamReader: Sendable {
    let name: String
    let source: any NotificationSource
    let service: NotificationsService
    /// Fires before the reader is told to end where the file does not have the stream any more.
    let removed = OneShot()

    private var clock: TimeSource { service.present.host.clock }

    /// Runs until `retire` fires, which allows a close handshake, or until cancelled.
    func run(until retire: OneShot) async {
        let gone = OneShot()
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await read(until: retire, gone) }
            group.addTask {
                await service.leaving.wait()
                if service.leaving.hasFired { retire.fire() }
                await gone.wait()
            }
            group.addTask {
                await retire.wait()
                await gone.wait()
            }
            await group.next()
            group.cancelAll()
        }
    }

    private func read(until retire: OneShot, _ gone: OneShot) async {
        while !Task.isCancelled, !retire.hasFired {
            guard source.followsUsers, let presence = service.present.host.uses.presence else {
                await read(for: nil, until: retire, endsForGood: removed)
                return gone.fire()
            }
            await read(for: presence, until: retire, gone)
            // The source of users has ended; a new one replaces it, or this ends too.
            try? await clock.sleep(.seconds(1))
        }
    }

    /// Reads while a user is signed in, with a token of that session; another user gets another connection.
    private func read(for presence: any UserPresence, until retire: OneShot, _ gone: OneShot) async {
        var users = presence.changes().makeAsyncIterator()
        guard var user = await users.next() else { return }
        while !Task.isCancelled, !retire.hasFired {
            let (present, leave, endsForGood) = (user, OneShot(), OneShot())
            let mayRead = user != nil || !source.waitsForUser(presence)
            let next: SignedInUser?? = await withTaskGroup(of: Void.self) { group in
                let reading = OneShot()
                group.addTask {
                    if mayRead {
                        await read(for: present, until: leave, endsForGood: endsForGood)
                    } else {
                        await leave.wait()
                    }
                    reading.fire()
                    if retire.hasFired { gone.fire() }
                }
                group.addTask {
                    await retire.wait()
                    if removed.hasFired { endsForGood.fire() }
                    if retire.hasFired { leave.fire() }
                }
                defer { group.cancelAll() }
                while let changed = await users.next() {
                    guard changed?.session != present?.session else { continue }
                    // A session that is withheld from this machine, or made again, has not ended.
                    let isSame = changed?.subject == present?.subject && changed?.issuer == present?.issuer
                    if changed == nil ? presence.absence.kind == .signedOut : !isSame { endsForGood.fire() }
                    leave.fire()
                    await reading.wait()
                    return .some(changed)
                }
                leave.fire()
                await reading.wait()
                return nil
            }
            guard let next else { return }
            user = next
        }
    }

    /// Reads and reconnects until `leave` fires.
    private func read(for user: SignedInUser?, until leave: OneShot, endsForGood: OneShot) async {
        var pause = ReconnectBackoff()
        let health = service.streamHealth
        health.begin(name)
        defer { health.left(name, atEndOfService: service.leaving.hasFired) }
        while !Task.isCancelled, !leave.hasFired {
            let present = service.present
            var end: StreamEnd
            do throws(StoreFailure) {
                let session = try await StreamSession(
                    name: name,
                    source: source,
                    user: user,
                    service: service,
                    present: present,
                    health: health,
                    endsForGood: endsForGood
                )
                end = await settling(present) { await session.read(until: leave) }
            } catch {
                end = StreamEnd(NotificationFailure(error))
            }
            guard !leave.hasFired, !Task.isCancelled else { break }
            if end.isUnauthorized, let help = source.credentialHelp { end.reason += "; \(help)" }
            let wait = pause.after(end, chance: .random(in: 0...1))
            note(end, retryIn: wait, present)
            _ = await withCancellation(leave) { try? await present.host.clock.sleep(wait) }
        }
    }

    /// Reads, and notes when the connection is stable.
    private func settling(_ present: NotificationsService.Present, _ read: @escaping @Sendable () async -> StreamEnd)
        async -> StreamEnd
    {
        await withTaskGroup(of: StreamEnd?.self) { group in
            group.addTask { await read() }
            group.addTask {
                while (try? await present.host.clock.sleep(StreamHealth.settling)) != nil {
                    if service.streamHealth.settled(name) { break }
                }
                return nil
            }
            var hasStood = false
            while let next = await group.next() {
                guard var end = next else {
                    hasStood = true
                    continue
                }
                group.cancelAll()
                end.hasStood = hasStood
                return end
            }
            return StreamEnd("the stream was closed by the runner")
        }
    }

    private func note(_ end: StreamEnd, retryIn wait: Duration, _ present: NotificationsService.Present) {
        service.streamHealth.ended(name, end, at: source.origin(of: name, in: present.host.places))
        let place = end.origin.map { LogValue.text("\($0.path), at \($0.place)") }
        if end.kind == .refused {
            present.host.log.warning(
                "a stream of notifications was rejected",
                ["stream": .text(name), "reason": .text(end.reason), "at": place, "retryIn": .duration(wait)]
            )
        } else {
            present.host.log.notice(
                "a stream of notifications has ended",
                ["stream": .text(name), "reason": .text(end.reason), "at": place, "retryIn": .duration(wait)]
            )
        }
    }
}

/// Does something, unless `leave` fires meanwhile.
func withCancellation<Value: Sendable>(_ leave: OneShot, _ work: @escaping @Sendable () async -> Value) async -> Value?
{
    await withTaskGroup(of: Value?.self) { group in
        group.addTask { await work() }
        group.addTask {
            await leave.wait()
            return nil
        }
        defer { group.cancelAll() }
        return await group.next() ?? nil
    }
}
